/** A partition whose handler takes `ms`, once in each `everyMs`. */
record SlowPartition(String topic, int partition, int ms, int everyMs) {
    private static volatile long last;

    int delay(String topic, int partition, int otherwise) {
        long now = System.nanoTime() / 1_000_000;
        if (!topic.equals(this.topic) || partition != this.partition || now - last < everyMs) return otherwise;
        last = now;
        return ms;
    }
}
