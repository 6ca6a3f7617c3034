package dev.weir.store.jdbc.internal;

import dev.weir.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A task that one node at a time runs. Its lock belongs to a session: it ends with the connection,
 * even if this node crashes. The database can also end the session under a node that goes on, for
 * example because it was idle while the task used other connections; another node may begin then.
 * So every transaction of the task asks first whether the lock is still held. Thread-safe.
 */
public final class ExclusiveTask {
  /** The lock is released by the end of the transaction, or with the connection. */
  private static final String LOCK_TASK =
      "select lock_number from exclusive_task where lock_number = ? for update skip locked";

  private final Dialect dialect;
  private final Transactions transactions;
  private final long lock;

  /** The session that holds the lock for the task that this thread runs. */
  @SuppressWarnings("ThreadLocalUsage") // a node has a few tasks, for as long as it lives
  private final ThreadLocal<@Nullable Connection> session = new ThreadLocal<>();

  /**
   * @param lock the number of the lock: an advisory lock of PostgreSQL, or a row of {@code
   *     exclusive_task} in Oracle
   */
  public ExclusiveTask(Dialect dialect, Transactions transactions, long lock) {
    this.dialect = dialect;
    this.transactions = transactions;
    this.lock = lock;
  }

  /** Runs the task. Returns false, without running it, while another node does. */
  public boolean run(Runnable task) {
    return switch (dialect) {
      case POSTGRESQL -> transactions.read(connection -> withAdvisoryLock(connection, task));
      case ORACLE -> transactions.read(connection -> withLockedRow(connection, task));
    };
  }

  private boolean withAdvisoryLock(Connection connection, Runnable task) throws SQLException {
    if (!queryBoolean(connection, "select pg_try_advisory_lock(?)")) {
      return false;
    }
    try {
      runIn(connection, task);
    } finally {
      UnknownOutcomeException.committing(
          () -> queryBoolean(connection, "select pg_advisory_unlock(?)"));
    }
    return true;
  }

  private boolean queryBoolean(Connection connection, String sql) throws SQLException {
    return Sql.first(connection, row -> row.getBoolean(1), sql, lock).orElseThrow();
  }

  private boolean withLockedRow(Connection connection, Runnable task) throws SQLException {
    connection.setAutoCommit(false);
    try {
      if (!locksRow(connection)) {
        return false;
      }
      runIn(connection, task);
      return true;
    } finally {
      connection.rollback();
    }
  }

  private boolean locksRow(Connection connection) throws SQLException {
    return Sql.first(connection, row -> true, LOCK_TASK, lock).isPresent();
  }

  private void runIn(Connection connection, Runnable task) {
    session.set(connection);
    try {
      task.run();
    } finally {
      session.remove();
    }
  }

  /** As {@link Transactions#read}. */
  public <T> T read(Transactions.Work<T> work) {
    requireLock();
    return transactions.read(work);
  }

  /** As {@link Transactions#write}. */
  public <T> T write(Transactions.Work<T> work) {
    requireLock();
    return transactions.write(work);
  }

  /** As {@link Transactions#autoCommit}. */
  public <T> T autoCommit(Transactions.Work<T> work) {
    requireLock();
    return transactions.autoCommit(work);
  }

  /** Steps may also be made outside of the task; each of them is correct by itself. */
  private void requireLock() {
    Connection held = session.get();
    if (held == null) {
      return;
    }
    try {
      if (!isHeld(held)) {
        throw new StoreException(
            dialect.id(), StoreException.Outcome.NONE, "another node runs this task now");
      }
    } catch (SQLException e) {
      throw Transactions.failure(dialect, e);
    }
  }

  /** The question also keeps the session from being idle. */
  private boolean isHeld(Connection held) throws SQLException {
    return switch (dialect) {
      case POSTGRESQL -> Sql.first(held, row -> true, dialect.selectNow()).isPresent();
      case ORACLE -> locksRow(held);
    };
  }
}
