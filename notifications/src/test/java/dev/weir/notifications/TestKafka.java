package dev.weir.notifications;

import dev.weir.notifications.broker.EmbeddedKafka;
import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageTopics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** One broker for all tests of the module, started by the first that needs it. */
public final class TestKafka {
  public static final Duration TIMEOUT = Duration.ofSeconds(20);

  private static final EmbeddedKafka BROKER = start();

  private TestKafka() {}

  private static EmbeddedKafka start() {
    try {
      Path folder = Files.createTempDirectory(Path.of("target"), "kafka");
      EmbeddedKafka broker = new EmbeddedKafka(folder);
      if (broker.bootstrapServers(Duration.ofMinutes(1)).isEmpty()) {
        throw new AssertionError("Kafka has not started, see the log");
      }
      return broker;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static KafkaCluster cluster() {
    return BROKER;
  }

  public static KafkaClients clients() {
    return KafkaClients.of(BROKER, TIMEOUT);
  }

  /** Returns names of topics that no other test uses. */
  public static MessageTopics newTopics() {
    String name = "sms-" + UUID.randomUUID();
    return new MessageTopics(name, name + ".dlq");
  }

  /** Creates topics that no other test uses. */
  public static MessageTopics createTopics() {
    MessageTopics topics = newTopics();
    try (Admin admin = clients().admin(TIMEOUT)) {
      topics.create(admin);
    }
    return topics;
  }

  /** Returns all records of a topic, each partition in its order. */
  public static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (Consumer<byte[], byte[]> consumer =
        clients().consumer("reader-" + UUID.randomUUID(), 1_000)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic, TIMEOUT).stream()
              .map(partition -> new TopicPartition(topic, partition.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions));
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
    }
    return records;
  }

  public static void delete(String topic) {
    try (Admin admin = clients().admin(TIMEOUT)) {
      admin.deleteTopics(List.of(topic)).all().get();
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
