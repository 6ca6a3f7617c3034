package dev.weir.notifications.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Whether topics keep each record that was acknowledged. With acks=all an acknowledgement comes
 * from all replicas that are in sync, which may be the leader alone, and which write to the disk
 * later.
 */
public final class TopicDurability {
  private static final int MIN_COPIES = 2;

  private TopicDurability() {}

  /**
   * Returns for people what could lose acknowledged records of a cluster; empty if nothing is known
   * to.
   *
   * @throws KafkaUnavailableException if Kafka does not answer, or has none of the topics
   */
  public static List<String> problems(
      KafkaCluster cluster, MessageTopics topics, Duration timeout) {
    try (Admin admin = KafkaClients.of(cluster, timeout).admin(timeout)) {
      return problems(admin, List.of(topics.outbound(), topics.deadLetters()));
    } catch (KafkaException e) {
      throw new KafkaUnavailableException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Returns for people what could lose acknowledged records; empty if nothing is known to.
   *
   * @throws KafkaUnavailableException if Kafka does not answer, or has none of the topics
   */
  static List<String> problems(Admin admin, Collection<String> topics) {
    try {
      Map<String, TopicDescription> descriptions =
          admin.describeTopics(List.copyOf(topics)).allTopicNames().get();
      List<ConfigResource> resources = topics.stream().map(TopicDurability::resource).toList();
      Map<ConfigResource, Config> configs = admin.describeConfigs(resources).all().get();
      List<String> problems = new ArrayList<>();
      for (String topic : topics) {
        TopicDescription description = descriptions.get(topic);
        Config config = configs.get(resource(topic));
        if (description != null && config != null) {
          problem(topic, description, config).ifPresent(problems::add);
        }
      }
      return problems;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        return List.of(
            "whether Kafka keeps every message is not known, because Weir must not describe the"
                + " topics %s and their settings".formatted(topics));
      }
      throw new KafkaUnavailableException(
          "topics %s could not be described: %s".formatted(topics, e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaUnavailableException("interrupted while topics were described", e);
    }
  }

  private static ConfigResource resource(String topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  private static Optional<String> problem(
      String topic, TopicDescription description, Config config) {
    int replicas =
        description.partitions().stream()
            .mapToInt(partition -> partition.replicas().size())
            .min()
            .orElse(0);
    String minInSync = value(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, "1");
    // Also without a second copy, a record is on the disk before it is acknowledged.
    boolean isFlushed = value(config, TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, "").equals("1");
    boolean isCopied = replicas >= MIN_COPIES && Integer.parseInt(minInSync) >= MIN_COPIES;
    boolean isUnclean =
        Boolean.parseBoolean(
            value(config, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false"));
    if ((isCopied && !isUnclean) || (isFlushed && replicas == 1)) {
      return Optional.empty();
    }
    return Optional.of(
        ("Kafka may lose messages that it has acknowledged: topic %s has replication factor %d,"
                + " min.insync.replicas=%s, unclean.leader.election.enable=%s; no loss needs 3 (at"
                + " least 2), 2 and false")
            .formatted(topic, replicas, minInSync, isUnclean));
  }

  private static String value(Config config, String name, String otherwise) {
    ConfigEntry entry = config.get(name);
    return entry == null || entry.value() == null ? otherwise : entry.value();
  }
}
