package interop;

import com.alibaba.fastjson.JSONObject;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExtBatch;
import org.apache.rocketmq.common.message.MessageExtBrokerInner;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.PutMessageResult;

/**
 * Messages that a seed makes. `kind`: single, batch (of up to 5), long-topic (records of version 2),
 * ipv6 (hosts), transaction (half, committed and rolled back ones among the others), odd (properties
 * without an end, and with a CRC of another record). `body_max`: the largest body. `first`: number of
 * the first one, which names its key.
 */
final class Messages {
    private static final String LONG_TOPIC = "%RETRY%" + "a-group-whose-name-is-long-".repeat(6);

    private final Random random;
    private final String kind;
    private final int count;
    private final int bodyMax;
    private final int first;

    Messages(JSONObject arguments) {
        random = new Random(arguments.getLongValue("seed"));
        kind = arguments.containsKey("kind") ? arguments.getString("kind") : "single";
        count = Stores.number(arguments, "count", 100);
        bodyMax = Stores.number(arguments, "body_max", 2000);
        first = Stores.number(arguments, "first", 0);
    }

    /** How many messages are stored. */
    int put(DefaultMessageStore store) {
        int stored = 0;
        while (stored < count) {
            int size = kind.equals("batch") ? 1 + random.nextInt(5) : 1;
            PutMessageResult result = size == 1 && !kind.equals("batch")
                ? store.putMessage(single(first + stored)) : store.putMessages(batch(first + stored, size));
            if (!result.isOk()) throw new IllegalStateException("not stored: " + result);
            stored += size;
        }
        return stored;
    }

    /** Puts the message `number`, which may be refused. */
    PutMessageResult putOne(DefaultMessageStore store, int number) {
        return store.putMessage(single(first + number));
    }

    private MessageExtBrokerInner single(int number) {
        MessageExtBrokerInner message = new MessageExtBrokerInner();
        message.setTopic(kind.equals("long-topic") && number % 2 == 0
            ? LONG_TOPIC : "topic-" + random.nextInt(3));
        message.setQueueId(random.nextInt(4));
        fill(message, number);
        place(message);
        if (kind.equals("transaction")) {
            message.setSysFlag(message.getSysFlag() | (random.nextInt(4) << 2));
        }
        message.setTagsCode(MessageExtBrokerInner.tagsString2tagsCode(null, message.getTags()));
        if (kind.equals("odd")) MessageAccessor.putProperty(message, "__CRC32#", "0123456789");
        String properties = MessageDecoder.messageProperties2String(message.getProperties());
        message.setPropertiesString(kind.equals("odd")
            ? properties.substring(0, properties.length() - 1) : properties);
        return message;
    }

    private MessageExtBatch batch(int number, int size) {
        List<Message> messages = new ArrayList<>();
        String topic = "topic-" + random.nextInt(3);
        for (int i = 0; i < size; ++i) {
            Message message = new Message();
            message.setTopic(topic);
            fill(message, number + i);
            messages.add(message);
        }
        MessageExtBatch batch = new MessageExtBatch();
        batch.setTopic(topic);
        batch.setQueueId(random.nextInt(4));
        batch.setBody(MessageDecoder.encodeMessages(messages));
        place(batch);
        return batch;
    }

    private void fill(Message message, int number) {
        byte[] body = new byte[1 + random.nextInt(bodyMax)];
        random.nextBytes(body);
        message.setBody(body);
        message.setFlag(random.nextInt(8));
        message.setKeys("key-" + number + " group-" + number % 7);
        if (random.nextBoolean()) message.setTags("tag-" + random.nextInt(5));
        MessageAccessor.putProperty(message, "UNIQ_KEY", "unique-" + number);
        if (random.nextInt(4) == 0) message.putUserProperty("drydock", "größe " + number);
    }

    private void place(MessageExtBrokerInner message) {
        boolean six = kind.equals("ipv6") && random.nextBoolean();
        String host = six ? "::1" : "127.0.0.1";
        message.setBornTimestamp(System.currentTimeMillis());
        message.setBornHost(new InetSocketAddress(host, 50000));
        message.setStoreHost(new InetSocketAddress(six ? "::2" : "127.0.0.1", 10911));
        if (six) {
            message.setBornHostV6Flag();
            message.setStoreHostAddressV6Flag();
        }
    }
}
