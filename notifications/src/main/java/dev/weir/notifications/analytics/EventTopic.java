package dev.weir.notifications.analytics;

import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.TopicConfig;

/** The topic of events. The key of a record is the user's id in decimal digits. */
public record EventTopic(String name) {
  public static final EventTopic DEFAULT = new EventTopic("notification-events");

  /** Events wait this long for OpenSearch, if Weir creates the topic. */
  private static final Duration RETENTION = Duration.ofDays(7);

  /**
   * Creates the topic if it is missing.
   *
   * @throws KafkaUnavailableException if Kafka does not answer or refuses to create it
   */
  public void create(Admin admin) {
    String retention = Long.toString(RETENTION.toMillis());
    Topics.create(
        admin,
        List.of(Topics.of(name).configs(Map.of(TopicConfig.RETENTION_MS_CONFIG, retention))));
  }
}
