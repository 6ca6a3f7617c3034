package dev.weir.notifications.analytics;

/** Learns what becomes of events. Must be quick and must not throw. Thread-safe. */
public interface AnalyticsObserver {
  AnalyticsObserver NONE = new AnalyticsObserver() {};

  /** Kafka has an event. */
  default void published() {}

  /** An event was lost, because there were too many or because Kafka did not take it. */
  default void dropped() {}

  /** OpenSearch has new events. */
  default void indexed(int events) {}

  /** OpenSearch had events before. */
  default void duplicates(int events) {}

  /** Events are not indexed, because they are invalid or OpenSearch refuses them. */
  default void rejected(int events) {}
}
