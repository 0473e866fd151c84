import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * One consumer on a thread of its own. It commits what it has handled after each poll and before partitions are taken
 * from it, and reports every step.
 */
final class Member implements ConsumerRebalanceListener {
    private final String name;
    private final MemberConfig config;
    private final Map<TopicPartition, OffsetAndMetadata> handled = new HashMap<>();
    private final Queue<Consumer<Member>> commands = new ConcurrentLinkedQueue<>();
    private volatile int delayMs;
    private volatile SlowPartition slow;
    private volatile boolean stopping;
    private boolean leads;
    private KafkaConsumer<byte[], byte[]> consumer;
    private Thread thread;

    Member(String name, MemberConfig config) {
        this.name = name;
        this.config = config;
        delayMs = config.handlerDelayMs();
    }

    synchronized void run() {
        stopping = false;
        thread = new Thread(this::consume, name);
        thread.start();
    }

    /** Leaves the group when the record in hand is done. */
    synchronized void stop() {
        stopping = true;
        try {
            if (thread != null) thread.join();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    void delay(int ms) {
        delayMs = ms;
    }

    /** The handler of one partition takes its time again and again; null: no longer. */
    void slow(SlowPartition partition) {
        slow = partition;
    }

    /** The consumer may be used by its own thread only. */
    void later(Consumer<Member> command) {
        commands.add(command);
    }

    void pauseAll() {
        consumer.pause(consumer.assignment());
    }

    void resumeAll() {
        consumer.resume(consumer.assignment());
    }

    private void consume() {
        try {
            var bytes = new ByteArrayDeserializer();
            consumer = new KafkaConsumer<>(config.consumerProperties(this), bytes, bytes);
            try {
                consumer.subscribe(config.topics(), this);
                while (!stopping) {
                    for (var command = commands.poll(); command != null; command = commands.poll()) command.accept(this);
                    for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(100))) {
                        if (stopping) break;
                        handle(each);
                    }
                    commit(handled.keySet());
                }
            } finally {
                consumer.close();
            }
        } catch (Throwable error) {
            report("crash", Map.of("error", Report.describe(error), "restart", false));
        }
    }

    private void handle(ConsumerRecord<byte[], byte[]> each) throws InterruptedException {
        var at = Map.of("topic", each.topic(), "partition", each.partition(), "offset", each.offset());
        report("handling", at);
        SlowPartition slow = this.slow;
        Thread.sleep(slow == null ? delayMs : slow.delay(each.topic(), each.partition(), delayMs));
        report("handled", at);
        handled.put(new TopicPartition(each.topic(), each.partition()), new OffsetAndMetadata(each.offset() + 1));
    }

    private void commit(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>(handled);
        offsets.keySet().retainAll(partitions);
        if (offsets.isEmpty()) return;
        try {
            consumer.commitSync(offsets);
        } catch (RebalanceInProgressException error) {
            return; // The next commit takes them along.
        } catch (CommitFailedException error) {
            handled.keySet().removeAll(offsets.keySet()); // No member any more: they are somebody else's now.
            return;
        }
        handled.keySet().removeAll(offsets.keySet());
        List<Map<String, ?>> topics = new ArrayList<>();
        offsets.forEach((partition, offset) -> topics.add(Map.of(
                "topic", partition.topic(),
                "partitions", List.of(Map.of("partition", partition.partition(), "offset", "" + offset.offset())))));
        report("commit", Map.of("generation", consumer.groupMetadata().generationId(), "topics", topics));
    }

    /** Told by the assignor, which only the leader of a classic group asks to assign. */
    void leads(int members) {
        leads = true;
        try {
            Thread.sleep(config.planDelay(members));
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    /** Told by the assignor: what SyncGroup has given. */
    void joined(String protocol, Collection<TopicPartition> assignment, ConsumerGroupMetadata metadata) {
        report(
                "join",
                Map.of(
                        "memberId", metadata.memberId(),
                        "generation", metadata.generationId(),
                        "leader", leads,
                        "protocol", protocol,
                        "assignment", Report.byTopic(assignment)));
        leads = false;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        report("callback", callback("onPartitionsAssigned", partitions));
        if (config.brokerAssigns()) joined("consumer", consumer.assignment(), consumer.groupMetadata());
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        report("callback", callback("onPartitionsRevoked", partitions));
        commit(partitions);
        if (config.brokerAssigns()) {
            List<TopicPartition> rest = new ArrayList<>(consumer.assignment());
            rest.removeAll(partitions);
            joined("consumer", rest, consumer.groupMetadata());
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        report("callback", callback("onPartitionsLost", partitions));
        handled.keySet().removeAll(partitions);
    }

    private static Map<String, ?> callback(String callback, Collection<TopicPartition> partitions) {
        return Map.of("callback", callback, "phase", "start", "args", List.of(Report.byTopic(partitions)));
    }

    private void report(String type, Map<String, ?> fields) {
        Report.event(name, type, fields);
    }
}
