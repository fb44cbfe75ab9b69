package interop;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.MessageSelector;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.TransactionListener;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.tools.command.MQAdminStartup;

/** Commands that use RocketMQ's Java client and its admin tool. */
final class ClientCommands {
    private static int instances = 0;

    static void register(Map<String, Driver.Command> commands) {
        commands.put("send", ClientCommands::send);
        commands.put("lite_pull", ClientCommands::litePull);
        commands.put("push", ClientCommands::push);
        commands.put("query_key", ClientCommands::queryKey);
        commands.put("view", ClientCommands::view);
        commands.put("times", ClientCommands::times);
        commands.put("admin", ClientCommands::admin);
    }

    /**
     * Sends messages: name_server, topic, count, first (number of the first key), and how: sync, async,
     * oneway, batch, ordered (all into one queue by its number), delayed (level 1), timed (5 s), transaction (every
     * second one is rolled back), asked (transactions that are committed when the broker asks about
     * them, which is waited for). The body of message N is "body-N", its key "key-N", its tag A or B.
     */
    private static JSONObject send(JSONObject arguments) throws Exception {
        String how = arguments.getString("how");
        CountDownLatch asked =
            new CountDownLatch(how.equals("asked") ? Stores.number(arguments, "count", 10) : 0);
        DefaultMQProducer producer = how.equals("transaction") || how.equals("asked")
            ? transactionProducer(how, asked) : new DefaultMQProducer("interop-producer");
        producer.setNamesrvAddr(arguments.getString("name_server"));
        producer.setInstanceName("producer-" + ++instances);
        producer.setRetryTimesWhenSendFailed(0);
        producer.setSendMsgTimeout(10_000);
        producer.start();
        try {
            JSONArray results = new JSONArray();
            for (SendResult result : send(producer, how, messages(arguments))) {
                JSONObject one = new JSONObject(true);
                one.put("status", String.valueOf(result.getSendStatus()));
                one.put("queue", result.getMessageQueue().getQueueId());
                one.put("offset", result.getQueueOffset());
                one.put("ids", result.getOffsetMsgId());
                one.put("unique", result.getMsgId());
                results.add(one);
            }
            JSONObject answer = new JSONObject(true);
            answer.put("results", results);
            answer.put("asked", asked.await(Stores.number(arguments, "wait_s", 30), TimeUnit.SECONDS));
            Thread.sleep(how.equals("asked") ? 2000 : 0);  // The answers are on their way.
            return answer;
        } finally {
            producer.shutdown();
        }
    }

    private static List<SendResult> send(DefaultMQProducer producer, String how,
        List<Message> messages) throws Exception {
        List<SendResult> results = new ArrayList<>();
        switch (how) {
            case "sync":
                for (Message message : messages) results.add(producer.send(message));
                break;
            case "async":
                results.addAll(sendAsync(producer, messages));
                break;
            case "oneway":
                for (Message message : messages) producer.sendOneway(message);
                break;
            case "batch":
                results.add(producer.send(messages));
                break;
            case "ordered":
                for (Message message : messages) {
                    results.add(producer.send(message, (queues, m, n) -> queues.get((int) n), 0));
                }
                break;
            case "delayed":
                for (Message message : messages) {
                    message.setDelayTimeLevel(1);
                    results.add(producer.send(message));
                }
                break;
            case "timed":
                for (Message message : messages) {
                    message.setDelayTimeSec(5);
                    results.add(producer.send(message));
                }
                break;
            case "transaction":
            case "asked":
                for (Message message : messages) {
                    results.add(producer.sendMessageInTransaction(message, results.size()));
                }
                break;
            default: throw new IllegalArgumentException("no such way to send: " + how);
        }
        return results;
    }

    private static Collection<SendResult> sendAsync(DefaultMQProducer producer,
        List<Message> messages) throws Exception {
        CountDownLatch answered = new CountDownLatch(messages.size());
        Queue<SendResult> results = new ConcurrentLinkedQueue<>();
        Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
        for (Message message : messages) {
            producer.send(message, new SendCallback() {
                @Override public void onSuccess(SendResult result) {
                    results.add(result);
                    answered.countDown();
                }
                @Override public void onException(Throwable problem) {
                    problems.add(problem);
                    answered.countDown();
                }
            });
        }
        if (!answered.await(20, TimeUnit.SECONDS)) throw new IllegalStateException("no answer");
        if (!problems.isEmpty()) throw new IllegalStateException(problems.peek());
        return results;
    }

    private static TransactionMQProducer transactionProducer(String how, CountDownLatch asked) {
        boolean ends = how.equals("transaction");
        TransactionMQProducer producer = new TransactionMQProducer("interop-transactions");
        producer.setTransactionListener(new TransactionListener() {
            @Override public LocalTransactionState executeLocalTransaction(Message m, Object number) {
                if (!ends) return LocalTransactionState.UNKNOW;
                return (int) number % 2 == 0 ? LocalTransactionState.COMMIT_MESSAGE
                    : LocalTransactionState.ROLLBACK_MESSAGE;
            }
            @Override public LocalTransactionState checkLocalTransaction(MessageExt message) {
                if (ends) return LocalTransactionState.UNKNOW;
                asked.countDown();
                return LocalTransactionState.COMMIT_MESSAGE;
            }
        });
        return producer;
    }

    private static List<Message> messages(JSONObject arguments) {
        List<Message> messages = new ArrayList<>();
        int first = Stores.number(arguments, "first", 0);
        for (int i = first; i < first + Stores.number(arguments, "count", 10); ++i) {
            byte[] body = ("body-" + i).getBytes(StandardCharsets.UTF_8);
            messages.add(new Message(arguments.getString("topic"), i % 2 == 0 ? "A" : "B", "key-" + i,
                body));
        }
        return messages;
    }

    /**
     * Reads all queues of a topic from their beginnings: name_server, topic, tags, count to wait for,
     * subscribes (the group shares the queues; else all of them are assigned), wait_s (so long without
     * any message ends it).
     */
    private static JSONObject litePull(JSONObject arguments) throws Exception {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer(
            arguments.containsKey("group") ? arguments.getString("group") : "interop-lite-" + ++instances);
        consumer.setNamesrvAddr(arguments.getString("name_server"));
        consumer.setInstanceName("lite-" + ++instances);
        consumer.setAutoCommit(true);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        String topic = arguments.getString("topic");
        boolean subscribes = arguments.getBooleanValue("subscribes");
        String tags = arguments.containsKey("tags") ? arguments.getString("tags") : "*";
        if (subscribes) {
            consumer.subscribe(topic, tags);
        } else {
            consumer.setSubExpressionForAssign(topic, tags);
        }
        consumer.start();
        try {
            if (!subscribes) {
                // A group of its own begins at the beginnings. A seek would interrupt the pulls that go
                // on, and one that is interrupted while it sends closes the connection of all.
                consumer.assign(consumer.fetchMessageQueues(topic));
            }
            List<MessageExt> messages = new ArrayList<>();
            long patience = TimeUnit.SECONDS.toNanos(Stores.number(arguments, "wait_s", 10));
            long last = System.nanoTime();
            while (messages.size() < arguments.getIntValue("count")
                && System.nanoTime() - last < patience) {
                if (messages.addAll(consumer.poll(200))) last = System.nanoTime();
            }
            consumer.commit();
            return told(messages);
        } finally {
            consumer.shutdown();
        }
    }

    /**
     * As lite_pull, by push consumers of one group: consumers (how many; with more than one each has to
     * get an equal share of the queues, and then `count` messages are sent), orderly, fails (every
     * message, each time), fails_once (every message, the first time), retries.
     */
    private static JSONObject push(JSONObject arguments) throws Exception {
        Queue<MessageExt> messages = new ConcurrentLinkedQueue<>();
        Queue<Integer> owners = new ConcurrentLinkedQueue<>();
        List<DefaultMQPushConsumer> consumers = new ArrayList<>();
        int count = arguments.getIntValue("count");
        try {
            for (int i = 0; i < Stores.number(arguments, "consumers", 1); ++i) {
                consumers.add(pushConsumer(arguments, messages, owners, i));
                consumers.get(i).start();
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Stores.number(arguments, "wait_s", 60));
            if (consumers.size() > 1) {
                String topic = arguments.getString("topic");
                while (!sharedEqually(consumers, topic) && System.nanoTime() < end) Thread.sleep(20);
                JSONObject more = new JSONObject(arguments);
                more.put("how", "sync");
                send(more);
            }
            while (messages.size() < count && System.nanoTime() < end) Thread.sleep(20);
            Thread.sleep(500);  // The end of a consumer interrupts what it tells of the last messages.
        } finally {
            for (DefaultMQPushConsumer consumer : consumers) consumer.shutdown();
        }
        JSONObject answer = told(new ArrayList<>(messages));
        answer.put("owners", new ArrayList<>(owners));
        return answer;
    }

    private static boolean sharedEqually(List<DefaultMQPushConsumer> consumers, String topic) {
        long[] shares = consumers.stream().mapToLong(consumer -> consumer.getDefaultMQPushConsumerImpl()
            .getRebalanceImpl().getProcessQueueTable().keySet().stream()
            .filter(queue -> queue.getTopic().equals(topic)).count()).distinct().toArray();
        return shares.length == 1 && shares[0] > 0;
    }

    private static DefaultMQPushConsumer pushConsumer(JSONObject arguments, Queue<MessageExt> messages,
        Queue<Integer> owners, int number) throws Exception {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(arguments.getString("group"));
        consumer.setNamesrvAddr(arguments.getString("name_server"));
        consumer.setInstanceName("push-" + ++instances);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.setMaxReconsumeTimes(Stores.number(arguments, "retries", 16));
        consumer.setSuspendCurrentQueueTimeMillis(100);
        String tags = arguments.containsKey("tags") ? arguments.getString("tags") : "*";
        if (arguments.containsKey("sql")) {
            consumer.subscribe(arguments.getString("topic"), MessageSelector.bySql(arguments.getString("sql")));
        } else {
            consumer.subscribe(arguments.getString("topic"), tags);
        }
        boolean fails = arguments.getBooleanValue("fails");
        boolean once = arguments.getBooleanValue("fails_once");
        Predicate<List<MessageExt>> take = some -> {
            for (MessageExt message : some) owners.add(number);
            messages.addAll(some);
            return !fails && !(once && some.get(0).getReconsumeTimes() == 0);
        };
        if (arguments.getBooleanValue("orderly")) {
            consumer.registerMessageListener((MessageListenerOrderly) (some, context) -> take.test(some)
                ? ConsumeOrderlyStatus.SUCCESS : ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT);
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (some, context) ->
                take.test(some) ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS
                    : ConsumeConcurrentlyStatus.RECONSUME_LATER);
        }
        return consumer;
    }

    /** What a query for a key gives: name_server, topic, key. */
    private static JSONObject queryKey(JSONObject arguments) throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer("interop-query");
        producer.setNamesrvAddr(arguments.getString("name_server"));
        producer.setInstanceName("query-" + ++instances);
        producer.start();
        try {
            return told(producer.queryMessage(arguments.getString("topic"), arguments.getString("key"),
                32, 0, Long.MAX_VALUE).getMessageList());
        } finally {
            producer.shutdown();
        }
    }

    /** The messages with these ids, by position or unique: name_server, topic, ids. */
    private static JSONObject view(JSONObject arguments) throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer("interop-view");
        producer.setNamesrvAddr(arguments.getString("name_server"));
        producer.setInstanceName("view-" + ++instances);
        producer.start();
        try {
            List<MessageExt> messages = new ArrayList<>();
            for (Object id : arguments.getJSONArray("ids")) {
                messages.add(producer.viewMessage(arguments.getString("topic"), (String) id));
            }
            return told(messages);
        } finally {
            producer.shutdown();
        }
    }

    /** Where times lie in a queue: name_server, topic, queue, at (a list). */
    private static JSONObject times(JSONObject arguments) throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer("interop-times");
        producer.setNamesrvAddr(arguments.getString("name_server"));
        producer.setInstanceName("times-" + ++instances);
        producer.start();
        try {
            MessageQueue queue = null;
            for (MessageQueue one : producer.fetchPublishMessageQueues(arguments.getString("topic"))) {
                if (one.getQueueId() == arguments.getIntValue("queue")) queue = one;
            }
            JSONArray offsets = new JSONArray();
            for (Object at : arguments.getJSONArray("at")) {
                offsets.add(producer.searchOffset(queue, ((Number) at).longValue()));
            }
            JSONObject answer = new JSONObject(true);
            answer.put("offsets", offsets);
            answer.put("earliest", producer.earliestMsgStoreTime(queue));
            answer.put("min", producer.minOffset(queue));
            answer.put("max", producer.maxOffset(queue));
            return answer;
        } finally {
            producer.shutdown();
        }
    }

    private static JSONObject told(List<MessageExt> messages) {
        JSONArray all = new JSONArray();
        for (MessageExt message : messages) {
            JSONObject one = new JSONObject(true);
            one.put("key", message.getKeys());
            one.put("body", new String(message.getBody(), StandardCharsets.UTF_8));
            one.put("tag", message.getTags());
            one.put("queue", message.getQueueId());
            one.put("offset", message.getQueueOffset());
            one.put("physical", message.getCommitLogOffset());
            one.put("reconsumed", message.getReconsumeTimes());
            one.put("late_ms", message.getStoreTimestamp() - message.getBornTimestamp());
            one.put("stored_ms", message.getStoreTimestamp());
            Map<String, String> properties = new TreeMap<>(message.getProperties());
            properties.remove("MIN_OFFSET");  // The client's, of the queue at the pull.
            properties.remove("MAX_OFFSET");
            one.put("properties", properties);
            all.add(one);
        }
        JSONObject answer = new JSONObject(true);
        answer.put("messages", all);
        return answer;
    }

    /** Runs the admin tool: words. The answer has what it printed. */
    private static JSONObject admin(JSONObject arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        PrintStream printed = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        System.setOut(printed);
        try {
            MQAdminStartup.main0(arguments.getJSONArray("words").toArray(new String[0]), null);
        } finally {
            System.setOut(before);
        }
        JSONObject answer = new JSONObject(true);
        answer.put("printed", bytes.toString(StandardCharsets.UTF_8));
        return answer;
    }

    private ClientCommands() {}
}
