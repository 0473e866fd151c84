import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;

/** One of Kafka's assignors, which also tells its member that it leads and what it was given. */
public abstract class WatchedAssignor implements ConsumerPartitionAssignor, Configurable {
    /** Consumer property that holds the member. */
    static final String WATCHER = "member.watcher";

    private final ConsumerPartitionAssignor kafkas;
    private Member member;

    WatchedAssignor(ConsumerPartitionAssignor kafkas) {
        this.kafkas = kafkas;
    }

    static Class<? extends WatchedAssignor> named(String name) {
        return switch (name) {
            case "range" -> Range.class;
            case "roundrobin" -> RoundRobin.class;
            case "sticky" -> Sticky.class;
            case "cooperative-sticky" -> CooperativeSticky.class;
            default -> throw new IllegalArgumentException("Kafka has no assignor " + name);
        };
    }

    @Override
    public void configure(Map<String, ?> properties) {
        member = (Member) properties.get(WATCHER);
    }

    @Override
    public GroupAssignment assign(Cluster metadata, GroupSubscription subscriptions) {
        member.leads(subscriptions.groupSubscription().size());
        return kafkas.assign(metadata, subscriptions);
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        kafkas.onAssignment(assignment, metadata);
        member.joined(name(), assignment.partitions(), metadata);
    }

    @Override
    public String name() {
        return kafkas.name();
    }

    @Override
    public ByteBuffer subscriptionUserData(Set<String> topics) {
        return kafkas.subscriptionUserData(topics);
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return kafkas.supportedProtocols();
    }

    @Override
    public short version() {
        return kafkas.version();
    }

    public static final class Range extends WatchedAssignor {
        public Range() {
            super(new RangeAssignor());
        }
    }

    public static final class RoundRobin extends WatchedAssignor {
        public RoundRobin() {
            super(new RoundRobinAssignor());
        }
    }

    public static final class Sticky extends WatchedAssignor {
        public Sticky() {
            super(new StickyAssignor());
        }
    }

    public static final class CooperativeSticky extends WatchedAssignor {
        public CooperativeSticky() {
            super(new CooperativeStickyAssignor());
        }
    }
}
