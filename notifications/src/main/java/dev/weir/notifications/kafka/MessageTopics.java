package dev.weir.notifications.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.TopicConfig;

/**
 * The topics of messages.
 *
 * @param outbound messages for the sender
 * @param deadLetters messages that could not be delivered
 */
public record MessageTopics(String outbound, String deadLetters) {
  public static final MessageTopics DEFAULT = new MessageTopics("sms-outbound", "sms-outbound.dlq");

  /** Messages that could not be delivered wait longer for a replay than a topic keeps others. */
  private static final Duration DEAD_LETTER_RETENTION = Duration.ofDays(30);

  /**
   * Creates the topics that are missing, with the replication of the cluster.
   *
   * @throws KafkaUnavailableException if Kafka does not answer or refuses to create them
   */
  public void create(Admin admin) {
    String retention = Long.toString(DEAD_LETTER_RETENTION.toMillis());
    Topics.create(
        admin,
        List.of(
            Topics.of(outbound),
            Topics.of(deadLetters).configs(Map.of(TopicConfig.RETENTION_MS_CONFIG, retention))));
  }
}
