package bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.SerializeType;

/**
 * A load of the shape of RocketMQ's own benchmark producer, on RocketMQ's client: threads that send one message
 * after the other and wait for each, one topic, no keys or tags, bodies that are not compressed, headers in
 * RocketMQ's binary form. It is not that class, since its artifact is not published for 5.3.3; and it
 * records how long each send took, of which that class prints only the largest and the mean.
 *
 * <p>Arguments: name server, topic, threads, bytes of a body, seconds of warm-up, seconds measured. Prints
 * "measure" when the measured interval begins, and one line of JSON when it has ended.
 */
public final class Producer {
    private static final int MICROS_MAX = 2_000_000;  // What takes longer counts as this.

    private enum Phase { WARM_UP, MEASURED, OVER }

    private static volatile Phase phase = Phase.WARM_UP;
    private static final LongAdder failed = new LongAdder();

    public static void main(String[] arguments) throws Exception {
        System.setProperty(RemotingCommand.SERIALIZE_TYPE_PROPERTY, SerializeType.ROCKETMQ.name());
        String topic = arguments[1];
        int threads = Integer.parseInt(arguments[2]);
        int bytes = Integer.parseInt(arguments[3]);
        long warmUpMs = Long.parseLong(arguments[4]) * 1000;
        long measuredMs = Long.parseLong(arguments[5]) * 1000;
        DefaultMQProducer producer = new DefaultMQProducer("benchmark_producer");
        producer.setNamesrvAddr(arguments[0]);
        producer.setCompressMsgBodyOverHowmuch(Integer.MAX_VALUE);
        producer.start();

        List<Sender> senders = new ArrayList<>();
        for (int i = 0; i < threads; i++) senders.add(new Sender(producer, topic, body(bytes)));
        for (Sender sender : senders) sender.start();
        Thread.sleep(warmUpMs);
        long begin = System.nanoTime();
        phase = Phase.MEASURED;
        System.out.println("measure");
        System.out.flush();
        Thread.sleep(measuredMs);
        phase = Phase.OVER;
        long took = System.nanoTime() - begin;
        print(senders, took);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static byte[] body(int bytes) {
        byte[] body = new byte[bytes];
        for (int i = 0; i < bytes; i++) body[i] = (byte) ('a' + ThreadLocalRandom.current().nextInt(26));
        return body;
    }

    private static void print(List<Sender> senders, long tookNs) {
        int[] all = new int[0];
        for (Sender sender : senders) all = joined(all, sender.taken());
        Arrays.sort(all);
        System.out.printf("{\"sent\": %d, \"failed\": %d, \"ns\": %d, \"p50_us\": %d, \"p99_us\": %d,"
            + " \"max_us\": %d}%n", all.length, failed.sum(), tookNs, quantile(all, 0.5),
            quantile(all, 0.99), quantile(all, 1));
    }

    private static int[] joined(int[] left, int[] right) {
        int[] both = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, both, left.length, right.length);
        return both;
    }

    private static int quantile(int[] sorted, double q) {
        if (sorted.length == 0) return 0;
        return sorted[Math.min(sorted.length - 1, (int) (q * sorted.length))];
    }

    private static final class Sender extends Thread {
        private final DefaultMQProducer producer;
        private final String topic;
        private final byte[] body;
        private int[] micros = new int[1 << 16];
        private int count = 0;

        Sender(DefaultMQProducer producer, String topic, byte[] body) {
            this.producer = producer;
            this.topic = topic;
            this.body = body;
        }

        @Override
        public void run() {
            while (phase != Phase.OVER) send();
        }

        private void send() {
            long begin = System.nanoTime();
            Phase during = phase;
            boolean good;
            try {
                good = producer.send(new Message(topic, body)).getSendStatus() == SendStatus.SEND_OK;
            } catch (Exception problem) {
                good = false;
            }
            // Only what began and ended inside the interval: threads add up to what the broker did.
            if (during != Phase.MEASURED || phase != Phase.MEASURED) return;
            if (good) {
                add((int) Math.min(MICROS_MAX, (System.nanoTime() - begin) / 1000));
            } else {
                failed.increment();
            }
        }

        private synchronized void add(int taken) {
            if (count == micros.length) micros = Arrays.copyOf(micros, count * 2);
            micros[count++] = taken;
        }

        synchronized int[] taken() {
            return Arrays.copyOf(micros, count);
        }
    }

    private Producer() {}
}
