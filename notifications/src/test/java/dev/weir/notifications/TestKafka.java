package dev.weir.notifications;

import dev.weir.notifications.broker.EmbeddedKafka;
import dev.weir.notifications.broker.PatientKafka;
import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.kafka.Topics;
import dev.weir.notifications.sender.SenderSettings;
import dev.weir.store.tck.internal.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** One broker for all tests of the module, started by the first that needs it. */
public final class TestKafka {
  public static final Duration TIMEOUT = Duration.ofMinutes(2);

  private static final EmbeddedKafka BROKER = start();

  private TestKafka() {}

  private static EmbeddedKafka start() {
    try {
      Path folder = Files.createTempDirectory(Path.of("target"), "kafka");
      EmbeddedKafka broker = PatientKafka.in(folder);
      if (broker.bootstrapServers(Duration.ofMinutes(5)).isEmpty()) {
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

  /** Returns settings of a sender in a group of its own, which a busy machine does not hurry. */
  public static SenderSettings senderSettings() {
    SenderSettings usual = SenderSettings.DEFAULT;
    return new SenderSettings(
        "sender-" + UUID.randomUUID(),
        usual.maxInFlight(),
        usual.maxBuffered(),
        usual.retries(),
        usual.repetition(),
        usual.rate(),
        TIMEOUT,
        TIMEOUT);
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

  /** Returns true if the broker has heard of a topic, and not of its deletion. */
  public static boolean hasTopic(String topic) {
    try (Admin admin = clients().admin(TIMEOUT)) {
      return admin.listTopics().names().get().contains(topic);
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  public static void delete(String topic) {
    await(admin -> admin.deleteTopics(List.of(topic)).all());
  }

  /** Deletes a topic and creates another one of the same name. */
  public static void recreate(String topic) {
    delete(topic);
    await(
        admin ->
            admin
                .createTopics(
                    List.of(new NewTopic(topic, Optional.of(Topics.PARTITIONS), Optional.empty())))
                .all());
  }

  /** Commits a position in each partition, for a group without members. */
  public static void commit(String group, String topic, long position, String metadata) {
    Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    for (int partition = 0; partition < Topics.PARTITIONS; partition++) {
      positions.put(
          new TopicPartition(topic, partition), new OffsetAndMetadata(position, metadata));
    }
    Await.until(() -> isCommitted(group, positions));
  }

  /** Returns false if the broker has not heard yet of a topic that was just created. */
  private static boolean isCommitted(
      String group, Map<TopicPartition, OffsetAndMetadata> positions) {
    try (Admin admin = clients().admin(TIMEOUT)) {
      admin.alterConsumerGroupOffsets(group, positions).all().get();
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static void await(Function<Admin, KafkaFuture<Void>> step) {
    try (Admin admin = clients().admin(TIMEOUT)) {
      step.apply(admin).get();
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
