package dev.weir.notifications.server.node;

import dev.weir.node.lifecycle.OpenParts;
import dev.weir.notifications.broker.EmbeddedKafka;
import dev.weir.notifications.kafka.KafkaCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The Kafka cluster of a node. The embedded broker is started when it is first needed.
 *
 * @param cluster the cluster, for all but what reads from it
 * @param readable the cluster to read from; the first use of the other one begins the reading
 * @param firstUse empty if there may be something to read without any use
 */
record KafkaPart(KafkaCluster cluster, KafkaCluster readable, Optional<FirstUse> firstUse) {
  private static final String MISSING =
      "Kafka (none: weir.db.url is set, so weir.kafka.bootstrap-servers is needed, or weir.data for"
          + " an embedded broker of this node alone)";

  /**
   * Opens the cluster.
   *
   * @param open receives the embedded broker
   */
  static KafkaPart open(KafkaSettings settings, OpenParts open) {
    if (settings.cluster().isPresent()) {
      KafkaCluster cluster = settings.cluster().get();
      return new KafkaPart(cluster, cluster, Optional.empty());
    }
    if (settings.folder().isEmpty()) {
      KafkaCluster missing = KafkaCluster.missing(MISSING);
      // It is never used, so nothing reads.
      return new KafkaPart(missing, missing, Optional.of(new FirstUse(missing)));
    }
    Path folder = settings.folder().get();
    EmbeddedKafka embedded = open.add(new EmbeddedKafka(folder));
    // In a broker that has data from earlier, messages may be waiting.
    if (Files.isDirectory(folder)) {
      return new KafkaPart(embedded, embedded, Optional.empty());
    }
    FirstUse firstUse = new FirstUse(embedded);
    return new KafkaPart(firstUse, embedded, Optional.of(firstUse));
  }

  /** Starts what reads from the cluster, now or when there is something to read. */
  void startReading(Consumer<KafkaCluster> start) {
    if (firstUse.isPresent()) {
      firstUse.get().then(() -> start.accept(readable));
    } else {
      start.accept(readable);
    }
  }
}
