package dev.weir.notifications.analytics;

import java.time.Duration;
import java.time.Period;

/**
 * How an indexer works.
 *
 * @param group the consumer group; indexers of one group share the events
 * @param retention how long events are kept in OpenSearch, in whole days
 * @param kafkaTimeout maximum time for an answer of Kafka
 * @param firstPause pause after the first failure of OpenSearch
 * @param maxPause maximum pause between attempts
 */
public record IndexerSettings(
    String group, Period retention, Duration kafkaTimeout, Duration firstPause, Duration maxPause) {
  public static final IndexerSettings DEFAULT =
      new IndexerSettings(
          "weir-indexer",
          Period.ofDays(90),
          Duration.ofSeconds(10),
          Duration.ofMillis(200),
          Duration.ofSeconds(30));

  public IndexerSettings {
    if (retention.isZero() || retention.isNegative() || retention.toTotalMonths() != 0) {
      throw new IllegalArgumentException("retention must be 1 day or more, not " + retention);
    }
  }

  public IndexerSettings withGroup(String other) {
    return new IndexerSettings(other, retention, kafkaTimeout, firstPause, maxPause);
  }

  public IndexerSettings withRetention(Period other) {
    return new IndexerSettings(group, other, kafkaTimeout, firstPause, maxPause);
  }
}
