import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * The part of MemberConfig in ../support/member.ts that a Java member understands. `properties` are consumer
 * properties by Kafka's names and win over what is set here.
 */
record MemberConfig(
        List<String> brokers,
        String groupId,
        String clientId,
        List<String> topics,
        List<JsonElement> assigners,
        int handlerDelayMs,
        Map<String, String> properties) {

    boolean brokerAssigns() {
        return properties != null && "consumer".equals(properties.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG));
    }

    Properties consumerProperties(Member member) {
        Properties all = new Properties();
        all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, String.join(",", brokers));
        all.put(ConsumerConfig.GROUP_ID_CONFIG, groupId);
        all.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        all.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "250");
        all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "20");
        all.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000");
        // The rebalance timeout of the group, and the same times as the kafkajs members beside it.
        all.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, "20000");
        if (!brokerAssigns()) {
            all.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, "6000");
            all.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "500");
            all.put(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                    assigners.stream().map(MemberConfig::assignor).toList());
            all.put(WatchedAssignor.WATCHER, member);
        }
        if (properties != null) all.putAll(properties);
        return all;
    }

    /** For how long this member plans as the leader of so many, in ms: `interfere.slowLeader` of its assignor. */
    int planDelay(int members) {
        for (JsonElement each : assigners) {
            JsonObject fault = each.isJsonObject() ? inside(each.getAsJsonObject(), "options", "interfere", "slowLeader") : null;
            if (fault != null && members >= fault.get("members").getAsInt()) return fault.get("ms").getAsInt();
        }
        return 0;
    }

    private static JsonObject inside(JsonObject object, String... path) {
        for (String name : path) if (object != null) object = object.getAsJsonObject(name);
        return object;
    }

    /** A name, or an object with a name and options that only the package's assignors have. */
    private static Class<?> assignor(JsonElement each) {
        return WatchedAssignor.named(
                each.isJsonPrimitive() ? each.getAsString() : each.getAsJsonObject().get("name").getAsString());
    }
}
