package dev.weir.benchmarks.notifications;

import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Counts messages of users in tables and on topics. A benchmark that loses messages is void. */
final class UserCounts {
  private static final Duration MAX_WAIT = Duration.ofMinutes(3);
  private static final Duration MAX_POLL = Duration.ofSeconds(1);
  private static final int MAX_RECORDS = 10_000;

  private UserCounts() {}

  /**
   * Checks that the database has counted what is on the topic, user by user.
   *
   * @throws IllegalStateException if it has not
   */
  static void verify(SendPath path, KafkaCluster cluster) throws Exception {
    requireEqual(
        "messages of the users on " + path.topic(), path.counted(), read(cluster, path.topic()));
  }

  static void requireEqual(String what, Map<Long, Long> counted, Map<Long, Long> actual) {
    Set<Long> users = new TreeSet<>(counted.keySet());
    users.addAll(actual.keySet());
    for (long user : users) {
      long expected = counted.getOrDefault(user, 0L);
      long found = actual.getOrDefault(user, 0L);
      if (expected != found) {
        throw new IllegalStateException(
            "%s: %d were counted for user %d, but there are %d"
                .formatted(what, expected, user, found));
      }
    }
  }

  /** Returns the result of a query for users and their counts. */
  static Map<Long, Long> read(DataSource database, String sql) throws SQLException {
    Map<Long, Long> counts = new HashMap<>();
    try (Connection connection = database.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        counts.put(row.getLong(1), row.getLong(2));
      }
    }
    return counts;
  }

  /** Returns how many records of each key a topic has. */
  static Map<Long, Long> read(KafkaCluster cluster, String topic) {
    Map<Long, Long> counts = new HashMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        KafkaClients.of(cluster, MAX_WAIT).consumer("weir-bench", MAX_RECORDS)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(partition -> new TopicPartition(topic, partition.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(MAX_POLL)) {
          long user = Long.parseLong(new String(record.key(), StandardCharsets.UTF_8));
          counts.merge(user, 1L, Long::sum);
        }
      }
    }
    return counts;
  }
}
