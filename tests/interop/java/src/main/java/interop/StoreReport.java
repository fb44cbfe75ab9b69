package interop;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.queue.ConsumeQueueInterface;
import org.apache.rocketmq.store.queue.CqUnit;
import org.apache.rocketmq.store.queue.ReferredIterator;

/** What a store holds, in the form in which `drydock store recover --json` tells it. */
final class StoreReport {
    static JSONObject of(DefaultMessageStore store) throws Exception {
        JSONObject report = new JSONObject(true);
        report.put("begin", store.getMinPhyOffset());
        report.put("end", store.getMaxPhyOffset());
        JSONArray queues = new JSONArray();
        for (Map<Integer, ConsumeQueueInterface> topic
            : new TreeMap<>(store.getConsumeQueueTable()).values()) {
            for (ConsumeQueueInterface queue : new TreeMap<>(topic).values()) {
                if (queue.getMaxOffsetInQueue() > 0) queues.add(of(queue));
            }
        }
        report.put("queues", queues);
        return report;
    }

    private static JSONObject of(ConsumeQueueInterface queue) throws Exception {
        JSONObject one = new JSONObject(true);
        one.put("topic", queue.getTopic());
        one.put("queue", queue.getQueueId());
        one.put("min", queue.getMinOffsetInQueue());
        one.put("max", queue.getMaxOffsetInQueue());
        one.put("units", checksum(queue));
        return one;
    }

    /** CRC-32 of the units from the smallest offset to the largest, as they are in the file. */
    private static long checksum(ConsumeQueueInterface queue) throws Exception {
        CRC32 crc = new CRC32();
        ByteBuffer unit = ByteBuffer.allocate(20);
        for (long at = queue.getMinOffsetInQueue(); at < queue.getMaxOffsetInQueue(); ++at) {
            ReferredIterator<CqUnit> units = queue.iterateFrom(at);
            if (units == null) break;
            while (units.hasNext() && at < queue.getMaxOffsetInQueue()) {
                CqUnit next = units.next();
                unit.clear();
                unit.putLong(next.getPos()).putInt(next.getSize()).putLong(next.getTagsCode());
                crc.update(unit.array());
                ++at;
            }
            units.release();
            --at;
        }
        return crc.getValue();
    }

    private StoreReport() {}
}
