import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/** The layouts are described in bench/planner/groupfile.mjs. */
final class GroupFile {
    record Topic(String name, int partitions) {}

    record Claim(int topic, int[] partitions) {}

    record Member(String id, int[] topics, List<Claim> owned) {}

    final int generation;
    final List<Topic> topics = new ArrayList<>();
    final List<Member> members = new ArrayList<>();
    int claims;

    GroupFile(String path) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(path), 1 << 16))) {
            generation = in.readInt();
            for (int t = in.readInt(); t > 0; t--) topics.add(new Topic(name(in), in.readInt()));
            for (int m = in.readInt(); m > 0; m--) {
                String id = name(in);
                int[] subscribed = ints(in);
                List<Claim> owned = new ArrayList<>();
                for (int k = in.readInt(); k > 0; k--) {
                    Claim claim = new Claim(in.readInt(), ints(in));
                    claims += claim.partitions.length;
                    owned.add(claim);
                }
                members.add(new Member(id, subscribed, owned));
            }
        }
    }

    void writeAnswer(String path, Map<String, List<TopicPartition>> plan) throws IOException {
        Map<String, Integer> index = new HashMap<>();
        for (Topic topic : topics) index.put(topic.name, index.size());
        try (DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(new FileOutputStream(path), 1 << 16))) {
            out.writeInt(members.size());
            for (Member member : members) {
                Map<Integer, List<Integer>> byTopic = new TreeMap<>();
                for (TopicPartition tp : plan.get(member.id))
                    byTopic.computeIfAbsent(index.get(tp.topic()), t -> new ArrayList<>()).add(tp.partition());
                out.writeInt(byTopic.size());
                for (Map.Entry<Integer, List<Integer>> each : byTopic.entrySet()) {
                    out.writeInt(each.getKey());
                    out.writeInt(each.getValue().size());
                    for (int partition : each.getValue()) out.writeInt(partition);
                }
            }
        }
    }

    private static String name(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readUnsignedShort()), StandardCharsets.US_ASCII);
    }

    private static int[] ints(DataInputStream in) throws IOException {
        int[] list = new int[in.readInt()];
        for (int i = 0; i < list.length; i++) list[i] = in.readInt();
        return list;
    }
}
