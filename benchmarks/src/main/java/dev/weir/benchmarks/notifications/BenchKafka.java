package dev.weir.benchmarks.notifications;

import dev.weir.notifications.broker.EmbeddedKafka;
import dev.weir.notifications.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The broker that both sides publish to: the one that {@code ./weir up} starts, in this process,
 * with its data in a temporary folder. It has no replica, so it flushes what it acknowledges to the
 * disk.
 */
final class BenchKafka implements AutoCloseable {
  private static final Duration MAX_START = Duration.ofMinutes(5);

  private final EmbeddedKafka broker;
  private final Path folder;

  private BenchKafka(EmbeddedKafka broker, Path folder) {
    this.broker = broker;
    this.folder = folder;
  }

  static BenchKafka start() throws IOException {
    Path folder = Files.createTempDirectory("weir-bench-kafka-");
    BenchKafka kafka = new BenchKafka(new EmbeddedKafka(folder), folder);
    if (kafka.broker.bootstrapServers(MAX_START).isEmpty()) {
      kafka.close();
      throw new IllegalStateException("Kafka has not started within " + MAX_START);
    }
    return kafka;
  }

  KafkaCluster cluster() {
    return broker;
  }

  String bootstrapServers() {
    return broker.bootstrapServers(MAX_START).orElseThrow();
  }

  @Override
  public void close() throws IOException {
    broker.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
