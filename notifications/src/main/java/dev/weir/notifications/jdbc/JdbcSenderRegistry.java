package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.SenderRegistry;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Senders in PostgreSQL. */
public final class JdbcSenderRegistry implements SenderRegistry {
  /** Number of an advisory lock: "weir" in ASCII, followed by 9. One node joins at a time. */
  private static final long LOCK = 0x7765697209L;

  private static final String REMOVE_GONE = "delete from notification_sender where seen_at < ?";

  private static final String OTHER =
      "select provider from notification_sender where node <> ?::uuid and provider <> ? limit 1";

  private static final String JOIN =
      """
      insert into notification_sender (node, provider, seen_at) values (?::uuid, ?, ?)
      on conflict (node) do update set provider = excluded.provider, seen_at = excluded.seen_at
      """;

  private static final String LEAVE = "delete from notification_sender where node = ?::uuid";

  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcSenderRegistry(DataSource database) {
    this(database, StoreClock.DATABASE);
  }

  public JdbcSenderRegistry(DataSource database, StoreClock clock) {
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, () -> {});
    this.clock = clock;
  }

  @Override
  public Optional<String> join(UUID node, String provider, Duration ttl) {
    return transactions.write(connection -> join(connection, node.toString(), provider, ttl));
  }

  private Optional<String> join(Connection connection, String node, String provider, Duration ttl)
      throws SQLException {
    var unused =
        Sql.first(connection, row -> true, "select pg_advisory_xact_lock(?) is null", LOCK);
    long now = ClockReading.now(connection, Dialect.POSTGRESQL, clock);
    Sql.update(connection, REMOVE_GONE, now - Micros.floor(ttl));
    Optional<String> other = Sql.first(connection, row -> row.getString(1), OTHER, node, provider);
    Sql.update(
        connection,
        other.isPresent() ? LEAVE : JOIN,
        other.isPresent() ? new Object[] {node} : new Object[] {node, provider, now});
    return other;
  }

  @Override
  public void leave(UUID node) {
    int unused =
        transactions.autoCommit(connection -> Sql.update(connection, LEAVE, node.toString()));
  }
}
