import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A process that holds Kafka's own consumers and does what its parent says: the Java counterpart of
 * ../support/member-process.cjs, with the same commands and reports, as JSON lines on standard input and output.
 */
public final class Main {
    private static final Gson gson = new Gson();
    private static final Map<String, Member> members = new ConcurrentHashMap<>();

    public static void main(String[] args) throws Exception {
        // SIGTERM, as a container's process takes it: leave the group, then end.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> members.values().forEach(Member::stop)));
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonObject command = gson.fromJson(line, JsonObject.class);
            // A stop takes as long as a handler; others are not to wait for it.
            new Thread(() -> answer(command)).start();
        }
        // The parent is gone.
        Runtime.getRuntime().halt(1);
    }

    private static void answer(JsonObject command) {
        int id = command.get("id").getAsInt();
        try {
            carryOut(command.get("command").getAsString(), command.get("consumer").getAsString(), command);
            Report.line(Map.of("reply", id));
        } catch (Exception error) {
            Report.line(Map.of("reply", id, "error", Report.describe(error)));
        }
    }

    private static void carryOut(String what, String name, JsonObject command) throws Exception {
        if (what.equals("create")) {
            MemberConfig config = gson.fromJson(command.get("config"), MemberConfig.class);
            members.put(name, new Member(name, config));
            return;
        }
        Member member = members.get(name);
        switch (what) {
            case "run" -> member.run();
            case "stop", "disconnect" -> member.stop();
            case "delay" -> member.delay(command.get("ms").getAsInt());
            case "slowPartition" -> member.slow(gson.fromJson(command.get("slow"), SlowPartition.class));
            case "pauseTopics" -> member.later(Member::pauseAll);
            case "resumeTopics" -> member.later(Member::resumeAll);
            default -> throw new UnsupportedOperationException("a Java member does not know " + what);
        }
    }
}
