package dev.weir.store.jdbc.internal;

import dev.weir.PartOwnership;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An ownership by an advisory lock of PostgreSQL, which a session holds: it ends when the node
 * does, however that ends, and not while the node is suspended. A session can also end under a node
 * that goes on, for example when the server fails over. Then another node can get the lock and
 * writes its id into a row, which this one compares before each step. Thread-safe.
 */
public final class JdbcPartOwnership implements PartOwnership {
  private static final Logger log = LoggerFactory.getLogger(JdbcPartOwnership.class);

  /**
   * How long at least an answer by the session is awaited. A longer wait does no harm: another
   * owner is noticed before each step.
   */
  private static final Duration MIN_PING = Duration.ofSeconds(5);

  private static final String OWN =
      """
      insert into part_owner (part, owner, node, owned_at) values (?, ?, ?, %s)
      on conflict (part) do update
      set owner = excluded.owner, node = excluded.node, owned_at = excluded.owned_at
      """
          .formatted(Dialect.POSTGRESQL.now());

  /** Nodes whose tables are in other schemas of the database have owners of their own. */
  private static final String LOCK = "hashtextextended(current_schema(), ?)";

  private final DataSource database;
  private final Transactions transactions;
  private final Duration maxPing;
  private final long lock;
  private final String part;
  private final String node;
  private final UUID id = UUID.randomUUID();

  /** The connection that holds the lock; null if this node is not the owner. */
  private @Nullable Connection session;

  /**
   * @param lock number of the advisory lock
   * @param part name of the part in the table of owners
   * @param node where this node runs, for people
   */
  public JdbcPartOwnership(DataSource database, long lock, String part, String node) {
    this.database = database;
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, () -> {});
    Duration response = Timeouts.response(database);
    this.maxPing = response.compareTo(MIN_PING) < 0 ? MIN_PING : response;
    this.lock = lock;
    this.part = part;
    this.node = node;
  }

  @Override
  public synchronized boolean acquire() {
    if (session != null && isAlive(session)) {
      if (isOwner()) {
        return true;
      }
      // Something between this node and the server shares sessions, so that the lock means nothing.
      discard();
      return false;
    }
    discard();
    try {
      Connection connection = database.getConnection();
      boolean isLocked = false;
      boolean isKept = false;
      try {
        isLocked = isLocked(connection, "select pg_try_advisory_lock(%s)");
        if (isLocked) {
          Sql.update(connection, OWN, part, id, node);
          session = connection;
          isKept = true;
        }
        return isKept;
      } finally {
        if (!isKept) {
          release(connection, isLocked);
        }
      }
    } catch (SQLException e) {
      throw Transactions.failure(Dialect.POSTGRESQL, e);
    }
  }

  private boolean isAlive(Connection connection) {
    try {
      return connection.isValid((int) maxPing.toSeconds());
    } catch (SQLException e) {
      return false;
    }
  }

  private boolean isLocked(Connection connection, String sql) throws SQLException {
    return Sql.first(connection, row -> row.getBoolean(1), sql.formatted(LOCK), lock).orElseThrow();
  }

  private void release(Connection connection, boolean isHeld) {
    try (connection) {
      if (isHeld) {
        isLocked(connection, "select pg_advisory_unlock(%s)");
      }
    } catch (SQLException e) {
      // The lock has ended with the session, or ends with it.
      log.debug("The lock of {} is not released", part, e);
    }
  }

  private void discard() {
    if (session != null) {
      release(session, true);
      session = null;
    }
  }

  @Override
  public boolean isOwner() {
    return transactions.read(
        connection ->
            Sql.first(
                    connection,
                    row -> row.getBoolean(1),
                    "select owner = ? from part_owner where part = ?",
                    id,
                    part)
                .orElse(false));
  }

  @Override
  public String owner() {
    return transactions.read(
        connection ->
            Sql.first(
                    connection,
                    row -> row.getString(1),
                    "select node from part_owner where part = ?",
                    part)
                .orElse(""));
  }

  @Override
  public synchronized void close() {
    discard();
  }

  @Override
  public String toString() {
    return "ownership of " + part;
  }
}
