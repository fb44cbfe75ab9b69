package interop;

import com.alibaba.fastjson.JSONObject;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.MessageStore;
import org.apache.rocketmq.store.config.FlushDiskType;
import org.apache.rocketmq.store.config.MessageStoreConfig;
import org.apache.rocketmq.store.stats.BrokerStatsManager;

/** Makes RocketMQ's message store for a directory, with files small enough for many of them. */
final class Stores {
    /** Keys of `arguments`: directory, log_file_bytes, queue_file_bytes, sync, slots, entries; append_crc and
     * verify_crc, of whole records; pool (that many buffers of the transient pool), fails_without_buffer,
     * commit_ms. */
    static MessageStoreConfig configuration(JSONObject arguments) {
        MessageStoreConfig config = new MessageStoreConfig();
        String root = arguments.getString("directory");
        config.setStorePathRootDir(root);
        config.setStorePathCommitLog(root + "/commitlog");
        config.setMappedFileSizeCommitLog(number(arguments, "log_file_bytes", 64 * 1024));
        config.setMappedFileSizeConsumeQueue(number(arguments, "queue_file_bytes", 1000));
        config.setMaxHashSlotNum(number(arguments, "slots", 64));
        config.setMaxIndexNum(number(arguments, "entries", 20_000));
        config.setFlushDiskType(arguments.getBooleanValue("sync")
            ? FlushDiskType.SYNC_FLUSH : FlushDiskType.ASYNC_FLUSH);
        config.setEnabledAppendPropCRC(arguments.getBooleanValue("append_crc"));
        config.setForceVerifyPropCRC(arguments.getBooleanValue("verify_crc"));
        config.setHaListenPort(0);
        config.setTimerWheelEnable(false);
        config.setDiskMaxUsedSpaceRatio(95);
        config.setCleanFileForciblyEnable(false);
        if (arguments.containsKey("pool")) {
            config.setTransientStorePoolEnable(true);
            config.setTransientStorePoolSize(arguments.getIntValue("pool"));
            config.setFastFailIfNoBufferInStorePool(arguments.getBooleanValue("fails_without_buffer"));
            config.setCommitIntervalCommitLog(number(arguments, "commit_ms", 200));
            config.setCommitCommitLogThoroughInterval(number(arguments, "commit_ms", 200));
        }
        return config;
    }

    static DefaultMessageStore open(JSONObject arguments) throws Exception {
        BrokerConfig broker = new BrokerConfig();
        broker.setBrokerName("interop");
        return new DefaultMessageStore(configuration(arguments),
            new BrokerStatsManager("interop", true), (topic, queue, offset, code, time, map, p) -> { },
            broker, new ConcurrentHashMap<String, TopicConfig>());
    }

    /** Waits until everything in the log is in the queues and in the index. */
    static void awaitDispatch(MessageStore store) throws InterruptedException {
        while (store.dispatchBehindBytes() > 0) Thread.sleep(1);
    }

    static int number(JSONObject arguments, String name, int otherwise) {
        return arguments.containsKey(name) ? arguments.getIntValue(name) : otherwise;
    }

    private Stores() {}
}
