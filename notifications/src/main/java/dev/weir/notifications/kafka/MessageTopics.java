package dev.weir.notifications.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * The topics of messages.
 *
 * @param outbound messages for the sender
 * @param deadLetters messages that could not be delivered
 */
public record MessageTopics(String outbound, String deadLetters) {
  public static final MessageTopics DEFAULT = new MessageTopics("sms-outbound", "sms-outbound.dlq");

  /** The number of partitions with which topics are created. */
  public static final int PARTITIONS = 4;

  /** Messages that could not be delivered wait longer for a replay than a topic keeps others. */
  private static final Duration DEAD_LETTER_RETENTION = Duration.ofDays(30);

  /**
   * Creates the topics that are missing, with the replication of the cluster.
   *
   * @throws KafkaUnavailableException if Kafka does not answer or refuses to create them
   */
  public void create(Admin admin) {
    try {
      Set<String> present = admin.listTopics().names().get();
      List<NewTopic> missing = new ArrayList<>();
      if (!present.contains(outbound)) {
        missing.add(topic(outbound));
      }
      if (!present.contains(deadLetters)) {
        String retention = Long.toString(DEAD_LETTER_RETENTION.toMillis());
        missing.add(topic(deadLetters).configs(Map.of(TopicConfig.RETENTION_MS_CONFIG, retention)));
      }
      for (NewTopic topic : missing) {
        create(admin, topic);
      }
    } catch (ExecutionException e) {
      throw new KafkaUnavailableException(
          "topics %s and %s could not be created: %s"
              .formatted(outbound, deadLetters, e.getCause()),
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

  private static NewTopic topic(String name) {
    return new NewTopic(name, Optional.of(PARTITIONS), Optional.empty());
  }
}
