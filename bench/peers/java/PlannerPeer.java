import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.AbstractStickyAssignor;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * Times Kafka's own assignors on one group of the bench.
 *
 * <pre>PlannerPeer GROUP ANSWER FIGURE WARM_SECONDS MEASURE_SECONDS</pre>
 *
 * FIGURE: plan = StickyAssignor.assignPartitions; coop = CooperativeStickyAssignor.assignPartitions. Prints JSON
 * lines: {"ready":true}, {"first":ms}, {"runs":[ms…]}.
 */
public final class PlannerPeer {
    /** A collection before the clock starts keeps the garbage of building the input out of the measured time. */
    private static final int COLLECT_ABOVE = 5000;

    private static final boolean CPU = "cpu".equals(System.getenv("BENCH_CLOCK"));
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    public static void main(String[] args) throws Exception {
        GroupFile group = new GroupFile(args[0]);
        boolean cooperative = args[2].equals("coop");
        AbstractStickyAssignor assignor = cooperative ? new CooperativeStickyAssignor() : new StickyAssignor();
        List<ByteBuffer> userData = cooperative ? null : stickyUserData(group);
        List<Map<String, List<TopicPartition>>> plan = new ArrayList<>();
        DoubleSupplier call = () -> {
            Map<String, Subscription> subscriptions = subscriptions(group, userData);
            Map<String, List<PartitionInfo>> partitions = partitions(group);
            plan.clear();
            if (group.claims > COLLECT_ABOVE) System.gc();
            double start = clock();
            plan.add(assignor.assignPartitions(partitions, subscriptions));
            return clock() - start;
        };
        System.out.println("{\"ready\":true}");
        double first = call.getAsDouble();
        System.out.println("{\"first\":" + first + "}");
        double warm = Double.parseDouble(args[3]);
        double time = Double.parseDouble(args[4]);
        List<Double> runs = List.of(first);
        // A first plan that took so long is the only one: there is no point in warming up.
        if (first <= 2000 * (warm + time)) {
            repeat(warm, call);
            runs = repeat(time, call);
        }
        group.writeAnswer(args[1], plan.get(0));
        System.out.println("{\"runs\":" + runs + "}");
    }

    /** Until the time is up, but three calls at least unless they take long. */
    private static List<Double> repeat(double seconds, DoubleSupplier call) {
        List<Double> runs = new ArrayList<>();
        for (double start = clock(); ; ) {
            runs.add(call.getAsDouble());
            double spent = (clock() - start) / 1000;
            if (spent > 3 * seconds || (spent > seconds && runs.size() >= 3) || runs.size() == 2000) return runs;
        }
    }

    /** Milliseconds: as time passes, or with BENCH_CLOCK=cpu the CPU time of this process with all its threads. */
    private static double clock() {
        return (CPU ? SYSTEM.getProcessCpuTime() : System.nanoTime()) / 1e6;
    }

    private static Map<String, Subscription> subscriptions(GroupFile group, List<ByteBuffer> userData) {
        Map<String, Subscription> subscriptions = new HashMap<>();
        for (int m = 0; m < group.members.size(); m++) {
            GroupFile.Member member = group.members.get(m);
            // Sticky is eager: it gives everything up before it joins, and says what it had in its userData.
            List<TopicPartition> owned = userData == null ? claimed(group, member) : List.of();
            ByteBuffer bytes = userData == null ? null : userData.get(m);
            subscriptions.put(
                    member.id(),
                    new Subscription(
                            topics(group, member),
                            bytes == null ? null : bytes.duplicate(),
                            owned,
                            member.owned().isEmpty() ? -1 : group.generation,
                            Optional.empty()));
        }
        return subscriptions;
    }

    @SuppressWarnings("removal") // the constructor, which has no successor outside of tests
    private static List<ByteBuffer> stickyUserData(GroupFile group) {
        ConsumerGroupMetadata generation = new ConsumerGroupMetadata("group", group.generation, "", Optional.empty());
        List<ByteBuffer> all = new ArrayList<>();
        for (GroupFile.Member member : group.members) {
            StickyAssignor assignor = new StickyAssignor();
            if (!member.owned().isEmpty()) assignor.onAssignment(new Assignment(claimed(group, member)), generation);
            all.add(assignor.subscriptionUserData(new HashSet<>(topics(group, member))));
        }
        return all;
    }

    private static List<String> topics(GroupFile group, GroupFile.Member member) {
        List<String> names = new ArrayList<>(member.topics().length);
        for (int topic : member.topics()) names.add(group.topics.get(topic).name());
        return names;
    }

    private static List<TopicPartition> claimed(GroupFile group, GroupFile.Member member) {
        List<TopicPartition> owned = new ArrayList<>();
        for (GroupFile.Claim claim : member.owned())
            for (int partition : claim.partitions())
                owned.add(new TopicPartition(group.topics.get(claim.topic()).name(), partition));
        return owned;
    }

    private static Map<String, List<PartitionInfo>> partitions(GroupFile group) {
        return group.topics.stream().collect(Collectors.toMap(GroupFile.Topic::name, topic -> {
            List<PartitionInfo> infos = new ArrayList<>(topic.partitions());
            for (int p = 0; p < topic.partitions(); p++) infos.add(new PartitionInfo(topic.name(), p, null, null, null));
            return infos;
        }));
    }
}
