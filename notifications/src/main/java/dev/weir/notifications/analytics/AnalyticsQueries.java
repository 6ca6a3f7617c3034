package dev.weir.notifications.analytics;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The queries of {@link Analytics}. Everything that is put into them is a number or a time. The
 * same questions about the last day, for use without Weir, are in {@code
 * deploy/opensearch-queries.json}.
 */
final class AnalyticsQueries {
  /** Users that each shard offers at least: with fewer users in a day, the result is exact. */
  private static final int MIN_SHARD_SIZE = 2_000;

  /** Outcomes that are attempts to send. */
  private static final String ATTEMPTS =
      Arrays.stream(NotificationEvent.Outcome.values())
          .filter(NotificationEvent.Outcome::isAttempt)
          .map(outcome -> "\"" + outcome.text() + "\"")
          .collect(Collectors.joining(","));

  private AnalyticsQueries() {}

  static String topUsers(TimeRange range, int max) {
    return query(
        range,
        "\"sent\"",
        """
        "users": {
          "terms": {"field": "userId", "size": %d, "shard_size": %d},
          "aggs": {"parts": {"sum": {"field": "parts"}}, "cost": {"sum": {"field": "cost"}}}
        }
        """
            .formatted(max, shardSize(max)));
  }

  static String limited(TimeRange range, int max) {
    return query(
        range,
        "\"limited\"",
        """
        "users": {
          "terms": {"field": "userId", "size": %d, "shard_size": %d},
          "aggs": {"lastAt": {"max": {"field": "at"}}}
        }
        """
            .formatted(max, shardSize(max)));
  }

  static String peaks(TimeRange range, int max) {
    return query(
        range,
        ATTEMPTS,
        """
        "minutes": {
          "date_histogram": {"field": "at", "fixed_interval": "1m", "min_doc_count": 1},
          "aggs": {
            "sent": {"filter": {"term": {"outcome": "sent"}}},
            "limited": {"filter": {"term": {"outcome": "limited"}}},
            "busiest": {
              "bucket_sort": {
                "sort": [{"_count": {"order": "desc"}}, {"_key": {"order": "asc"}}],
                "size": %d
              }
            }
          }
        }
        """
            .formatted(max));
  }

  /** Returns the query for the users with the most attempts. */
  static String busiest(TimeRange range, int max) {
    return query(
        range,
        ATTEMPTS,
        """
        "users": {"terms": {"field": "userId", "size": %d, "shard_size": %d}}
        """
            .formatted(max, shardSize(max)));
  }

  /**
   * Returns the query for the attempts of some users in each window. It names the users, so that
   * each shard counts all of them, also on days on which others had more.
   */
  static String rates(TimeRange range, Duration window, List<Long> users) {
    String ids = users.stream().map(String::valueOf).collect(Collectors.joining(","));
    return query(
        range,
        ATTEMPTS,
        """
        "users": {
          "filter": {"terms": {"userId": [%s]}},
          "aggs": {
            "each": {
              "terms": {"field": "userId", "size": %d, "shard_size": %d},
              "aggs": {
                "windows": {
                  "date_histogram": {
                    "field": "at", "fixed_interval": "%dm", "min_doc_count": 1
                  }
                }
              }
            }
          }
        }
        """
            .formatted(ids, users.size(), users.size(), window.toMinutes()));
  }

  private static int shardSize(int max) {
    return Math.max(MIN_SHARD_SIZE, 2 * max);
  }

  private static String query(TimeRange range, String outcomes, String aggregations) {
    return """
    {
      "size": 0,
      "track_total_hits": false,
      "query": {
        "bool": {
          "filter": [
            {"range": {"at": {"gte": %d, "lt": %d, "format": "epoch_millis"}}},
            {"terms": {"outcome": [%s]}}
          ]
        }
      },
      "aggs": {%s}
    }
    """
        .formatted(range.from().toEpochMilli(), range.to().toEpochMilli(), outcomes, aggregations);
  }
}
