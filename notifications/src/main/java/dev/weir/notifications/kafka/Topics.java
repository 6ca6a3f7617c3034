package dev.weir.notifications.kafka;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;

/** Creates topics that are missing. */
public final class Topics {
  /** The number of partitions with which topics are created. */
  public static final int PARTITIONS = 4;

  private Topics() {}

  /** Returns a topic with the replication of the cluster. */
  public static NewTopic of(String name) {
    return new NewTopic(name, Optional.of(PARTITIONS), Optional.empty());
  }

  /**
   * Creates the topics that are missing.
   *
   * @throws KafkaUnavailableException if Kafka does not answer or refuses to create them
   */
  public static void create(Admin admin, List<NewTopic> topics) {
    try {
      Set<String> present = admin.listTopics().names().get();
      for (NewTopic topic : topics) {
        if (!present.contains(topic.name())) {
          create(admin, topic);
        }
      }
    } catch (ExecutionException e) {
      throw new KafkaUnavailableException(
          "topics %s could not be created: %s"
              .formatted(topics.stream().map(NewTopic::name).toList(), e.getCause()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaUnavailableException("interrupted while topics were created", e);
    }
  }

  private static void create(Admin admin, NewTopic topic)
      throws ExecutionException, InterruptedException {
    try {
      admin.createTopics(List.of(topic)).all().get();
    } catch (ExecutionException e) {
      // Another node was faster.
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }
}
