import com.google.gson.Gson;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** JSON lines on standard output, in the shapes of ../support/member.ts. */
final class Report {
    private static final Gson gson = new Gson();
    private static final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

    /** Flushed at once, so that a kill right after loses nothing. */
    static synchronized void line(Map<String, ?> fields) {
        out.println(gson.toJson(fields));
        out.flush();
    }

    static void event(String consumer, String type, Map<String, ?> fields) {
        Map<String, Object> all = new TreeMap<>(fields);
        all.put("consumer", consumer);
        all.put("type", type);
        // The monotonic clock of the machine, as node's hrtime.
        all.put("at", System.nanoTime() / 1000 / 1000.0);
        line(all);
    }

    static Map<String, ?> byTopic(Collection<TopicPartition> partitions) {
        return partitions.stream()
                .collect(Collectors.groupingBy(
                        TopicPartition::topic,
                        TreeMap::new,
                        Collectors.mapping(TopicPartition::partition, Collectors.toList())));
    }

    static String describe(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
