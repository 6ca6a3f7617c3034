package dev.weir.benchmarks.notifications;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.slots.BenchDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The comparator: each message locks the row of its user, is published while the lock is held, and
 * is counted when the broker has acknowledged it. So the count is exact without an outbox, as long
 * as no process dies between acknowledgement and commit.
 *
 * <p>Its statements are prepared, its row is updated within its page, its connections come from a
 * pool and commit explicitly, and its producer is as safe as Weir's: acks=all and idempotent.
 */
final class RowLockPath implements SendPath {
  static final String TOPIC = "row-lock-outbound";

  private static final long WINDOW_MICROS = Duration.ofDays(1).toNanos() / 1_000;

  private static final String CREATE =
      """
      create schema if not exists row_lock;
      create table if not exists row_lock.user_limit (
        user_id           bigint not null primary key,
        rate_limit        bigint not null,
        window_micros     bigint not null,
        current_count     bigint not null,
        last_refresh_time bigint not null
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)
      """;

  private static final String CONFIGURE =
      """
      insert into row_lock.user_limit
      select u, ?, ?, 0, 0 from generate_series(?::bigint, ?::bigint) as u
      """;

  private static final String LOCK =
      """
      select rate_limit, window_micros, current_count, last_refresh_time
      from row_lock.user_limit where user_id = ? for update
      """;

  private static final String COUNT =
      "update row_lock.user_limit set current_count = ?, last_refresh_time = ? where user_id = ?";

  private static final String COUNTED =
      "select user_id, current_count from row_lock.user_limit where current_count > 0";

  private final HikariDataSource pool;
  private final KafkaProducer<byte[], byte[]> producer;

  private RowLockPath(HikariDataSource pool, KafkaProducer<byte[], byte[]> producer) {
    this.pool = pool;
    this.producer = producer;
  }

  /** Creates the table, unless it exists. */
  static void prepare(BenchDatabase database) throws SQLException {
    database.execute(CREATE);
  }

  /**
   * Opens a path on the table and the topic that all of them share.
   *
   * @param pool without auto-commit; closed by the caller
   * @param lingerMillis how long the producer waits for more messages of a batch
   */
  static RowLockPath open(HikariDataSource pool, BenchKafka kafka, int lingerMillis) {
    Map<String, Object> config = new HashMap<>(kafka.cluster().clientProperties());
    config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    config.put(ProducerConfig.LINGER_MS_CONFIG, lingerMillis);
    return new RowLockPath(
        pool, new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()));
  }

  @Override
  public void limit(long firstUser, int users, long rateLimit) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(CONFIGURE)) {
      statement.setLong(1, rateLimit);
      statement.setLong(2, WINDOW_MICROS);
      statement.setLong(3, firstUser);
      statement.setLong(4, firstUser + users - 1);
      statement.executeUpdate();
      connection.commit();
    }
  }

  @Override
  public boolean send(long userId, String text) throws Exception {
    try (Connection connection = pool.getConnection()) {
      try {
        UserRow row = lock(connection, userId).at(System.currentTimeMillis() * 1_000);
        if (row.currentCount() >= row.rateLimit()) {
          connection.rollback();
          return false;
        }
        publish(userId, text);
        count(connection, userId, row);
        connection.commit();
        return true;
      } catch (SQLException | ExecutionException | InterruptedException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  private record UserRow(
      long rateLimit, long windowMicros, long currentCount, long lastRefreshMicros) {
    /** Returns the row with a new window if the last one has elapsed. */
    UserRow at(long nowMicros) {
      return nowMicros - lastRefreshMicros < windowMicros
          ? this
          : new UserRow(rateLimit, windowMicros, 0, nowMicros);
    }
  }

  private static UserRow lock(Connection connection, long userId) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
      statement.setLong(1, userId);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new IllegalStateException("user " + userId + " has no limit");
        }
        return new UserRow(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
      }
    }
  }

  private void publish(long userId, String text) throws ExecutionException, InterruptedException {
    byte[] key = Long.toString(userId).getBytes(StandardCharsets.UTF_8);
    byte[] value = (userId + ": " + text).getBytes(StandardCharsets.UTF_8);
    Objects.requireNonNull(producer.send(new ProducerRecord<>(TOPIC, key, value)).get());
  }

  private static void count(Connection connection, long userId, UserRow row) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
      statement.setLong(1, row.currentCount() + 1);
      statement.setLong(2, row.lastRefreshMicros());
      statement.setLong(3, userId);
      statement.executeUpdate();
    }
  }

  @Override
  public String topic() {
    return TOPIC;
  }

  @Override
  public Map<Long, Long> counted() throws SQLException {
    return UserCounts.read(pool, COUNTED);
  }

  @Override
  public void close() {
    producer.close();
  }
}
