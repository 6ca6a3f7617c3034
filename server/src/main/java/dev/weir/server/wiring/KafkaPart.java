package dev.weir.server.wiring;

import dev.weir.notifications.broker.EmbeddedKafka;
import dev.weir.notifications.kafka.KafkaCluster;
import java.nio.file.Files;

/** Opens the Kafka cluster of a node, and starts the sender when there may be messages. */
final class KafkaPart {
  private KafkaPart() {}

  /**
   * Returns the cluster. The embedded broker is started when it is first needed, and the sender
   * with it; a broker that has data from earlier is needed immediately, because messages may be
   * waiting there.
   *
   * @param open receives the broker
   */
  static KafkaCluster open(NotificationSettings settings, SenderPart sender, OpenParts open) {
    KafkaSettings kafka = settings.kafka();
    if (kafka.cluster().isPresent()) {
      KafkaCluster cluster = kafka.cluster().get();
      if (settings.isSender()) {
        sender.start(cluster);
      }
      return cluster;
    }
    EmbeddedKafka embedded = open.add(new EmbeddedKafka(kafka.folder()));
    if (!settings.isSender()) {
      return embedded;
    }
    if (Files.isDirectory(kafka.folder())) {
      sender.start(embedded);
    }
    return new FirstUse(embedded, () -> sender.start(embedded));
  }
}
