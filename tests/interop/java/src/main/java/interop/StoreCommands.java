package interop;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.PutMessageResult;
import org.apache.rocketmq.store.QueryMessageResult;
import org.apache.rocketmq.store.queue.ConsumeQueueInterface;

/** Commands that use RocketMQ's message store in this process. Stores that are open have a name. */
final class StoreCommands {
    private static final Map<String, DefaultMessageStore> open = new TreeMap<>();

    static void register(Map<String, Driver.Command> commands) {
        commands.put("open", StoreCommands::open);
        commands.put("put", StoreCommands::put);
        commands.put("burst", StoreCommands::burst);
        commands.put("report", StoreCommands::report);
        commands.put("copy", StoreCommands::copy);
        commands.put("close", StoreCommands::close);
        commands.put("recover", StoreCommands::recover);
        commands.put("query", StoreCommands::query);
    }

    /** Starts a store: name, and what Stores.configuration takes. */
    private static JSONObject open(JSONObject arguments) throws Exception {
        DefaultMessageStore store = Stores.open(arguments);
        if (!store.load()) throw new IllegalStateException("RocketMQ refuses to load the store");
        store.start();
        open.put(arguments.getString("name"), store);
        return StoreReport.of(store);
    }

    /** Puts messages: name, count, seed, kind; see Messages. The answer counts those that are in. */
    private static JSONObject put(JSONObject arguments) throws Exception {
        DefaultMessageStore store = named(arguments);
        Messages messages = new Messages(arguments);
        JSONObject answer = new JSONObject(true);
        answer.put("stored", messages.put(store));
        Stores.awaitDispatch(store);
        return answer;
    }

    /**
     * Puts as put does, until a put is refused; then waits until what can be seen has not grown for
     * `quiet_ms`: stored, refused (the status), wrote (where the last record ends), and what is seen of
     * that: readable (the end of the log), dispatched, messages (in the queues).
     */
    private static JSONObject burst(JSONObject arguments) throws Exception {
        DefaultMessageStore store = named(arguments);
        JSONObject answer = new JSONObject(true);
        Messages messages = new Messages(arguments);
        PutMessageResult last = null;
        int stored = 0;
        for (; stored < arguments.getIntValue("count"); ++stored) {
            PutMessageResult put = messages.putOne(store, stored);
            if (!put.isOk()) {
                answer.put("refused", put.getPutMessageStatus().toString());
                break;
            }
            last = put;
        }
        answer.put("stored", stored);
        if (last != null) {
            answer.put("wrote", last.getAppendMessageResult().getWroteOffset()
                + last.getAppendMessageResult().getWroteBytes());
        }
        long quiet = TimeUnit.MILLISECONDS.toNanos(arguments.getLongValue("quiet_ms"));
        JSONObject seen = seen(store);
        for (long since = System.nanoTime(); System.nanoTime() - since < quiet; Thread.sleep(20)) {
            JSONObject now = seen(store);
            if (!now.equals(seen)) since = System.nanoTime();
            seen = now;
        }
        answer.putAll(seen);
        return answer;
    }

    private static JSONObject seen(DefaultMessageStore store) throws Exception {
        JSONObject seen = new JSONObject(true);
        seen.put("readable", store.getMaxPhyOffset());
        seen.put("dispatched", store.getReputFromOffset());
        long messages = 0;
        for (Map<Integer, ConsumeQueueInterface> topic : store.getConsumeQueueTable().values()) {
            for (ConsumeQueueInterface queue : topic.values()) messages += queue.getMaxOffsetInQueue();
        }
        seen.put("messages", messages);
        return seen;
    }

    private static JSONObject report(JSONObject arguments) throws Exception {
        return StoreReport.of(named(arguments));
    }

    /**
     * Copies the files of an open store to `to`: since all of its writes are in the page cache, that
     * is what kill -9 would leave.
     */
    private static JSONObject copy(JSONObject arguments) throws Exception {
        DefaultMessageStore store = named(arguments);
        Path from = Path.of(store.getMessageStoreConfig().getStorePathRootDir());
        Path to = Path.of(arguments.getString("to"));
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Path target = to.resolve(from.relativize(path));
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
        return new JSONObject();
    }

    /** Stops the stores `names`, all at a time: each waits seconds for its threads. */
    private static JSONObject close(JSONObject arguments) throws Exception {
        JSONObject ends = new JSONObject(true);
        List<Thread> threads = new ArrayList<>();
        for (Object name : arguments.getJSONArray("names")) {
            DefaultMessageStore store = open.remove((String) name);
            ends.put((String) name, store.getMaxPhyOffset());
            threads.add(new Thread(store::shutdown));
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        JSONObject answer = new JSONObject(true);
        answer.put("ends", ends);
        return answer;
    }

    /** Loads a store, which recovers it, and tells what it then holds. Nothing is started. */
    private static JSONObject recover(JSONObject arguments) throws Exception {
        DefaultMessageStore store = Stores.open(arguments);
        JSONObject answer = new JSONObject(true);
        try {
            boolean loaded = store.load();
            answer.put("loaded", loaded);
            if (loaded) answer.putAll(StoreReport.of(store));
            if (loaded) answer.put("index", names(arguments.getString("directory") + "/index"));
        } finally {
            store.shutdown();
        }
        return answer;
    }

    /** The physical offsets that a key's query gives: name, topic, key, count, begin, end. */
    private static JSONObject query(JSONObject arguments) throws Exception {
        QueryMessageResult result = named(arguments).queryMessage(arguments.getString("topic"),
            arguments.getString("key"), Stores.number(arguments, "count", 32),
            arguments.getLongValue("begin"),
            arguments.containsKey("end") ? arguments.getLongValue("end") : Long.MAX_VALUE);
        JSONArray offsets = new JSONArray();
        for (ByteBuffer record : result.getMessageBufferList()) {
            MessageExt message = MessageDecoder.decode(record.slice());
            offsets.add(message.getCommitLogOffset());
        }
        result.release();
        JSONObject answer = new JSONObject(true);
        answer.put("offsets", offsets);
        answer.put("updated_ms", result.getIndexLastUpdateTimestamp());
        answer.put("updated_to", result.getIndexLastUpdatePhyoffset());
        return answer;
    }

    private static DefaultMessageStore named(JSONObject arguments) {
        DefaultMessageStore store = open.get(arguments.getString("name"));
        if (store == null) throw new IllegalArgumentException("no such store is open");
        return store;
    }

    private static List<String> names(String directory) {
        String[] found = new File(directory).list();
        return found == null ? List.of() : Stream.of(found).sorted().toList();
    }

    private StoreCommands() {}
}
