package dev.weir.notifications.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A Kafka cluster, which may have to be started first. Thread-safe. */
public interface KafkaCluster {
  /**
   * Returns the addresses of brokers, in the form {@code host:port,host:port}; empty if there is
   * none within {@code maxWait}. A cluster that is not running is started by the first call.
   */
  Optional<String> bootstrapServers(Duration maxWait);

  /** Returns true if it is being started, and has no address yet. */
  default boolean isStarting() {
    return false;
  }

  /** Returns settings for every client, such as those of TLS and SASL. */
  Map<String, String> clientProperties();

  /**
   * Returns a cluster that never runs.
   *
   * @param name says what is missing
   */
  static KafkaCluster missing(String name) {
    return new KafkaCluster() {
      @Override
      public Optional<String> bootstrapServers(Duration maxWait) {
        return Optional.empty();
      }

      @Override
      public Map<String, String> clientProperties() {
        return Map.of();
      }

      @Override
      public String toString() {
        return name;
      }
    };
  }

  /** Returns a cluster that others run. */
  static KafkaCluster at(String bootstrapServers, Map<String, String> clientProperties) {
    Map<String, String> properties = Map.copyOf(clientProperties);
    return new KafkaCluster() {
      @Override
      public Optional<String> bootstrapServers(Duration maxWait) {
        return Optional.of(bootstrapServers);
      }

      @Override
      public Map<String, String> clientProperties() {
        return properties;
      }

      @Override
      public String toString() {
        return "Kafka at " + bootstrapServers;
      }
    };
  }
}
