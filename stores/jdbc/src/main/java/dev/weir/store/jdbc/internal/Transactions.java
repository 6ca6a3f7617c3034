package dev.weir.store.jdbc.internal;

import dev.weir.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/** Runs work in transactions, and retries those that conflict with another transaction. */
public final class Transactions {
  /** Unique violation, serialization failure, deadlock: a retry sees the other's changes. */
  private static final Set<String> RETRYABLE_STATES = Set.of("23505", "40001", "40P01");

  /** SQL state of an exception that makes the transaction be retried. */
  public static final String TRY_AGAIN = "40001";

  private static final int MAX_ATTEMPTS = 8;

  private static final String CONFLICT = "other transactions were in conflict with every attempt";

  /** Max pause before the third attempt; twice as long before each further one. */
  private static final long PAUSE_NANOS = 2_000_000;

  private final Dialect dialect;
  private final DataSource database;
  private final Runnable onRetry;

  /** Max wait for each response of the database; empty for as long as the driver waits. */
  private final Optional<Duration> responseTimeout;

  /** Work on a connection. */
  public interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  /**
   * @param onRetry called before each retry
   */
  public Transactions(Dialect dialect, DataSource database, Runnable onRetry) {
    this(dialect, database, onRetry, Optional.empty());
  }

  private Transactions(
      Dialect dialect, DataSource database, Runnable onRetry, Optional<Duration> responseTimeout) {
    this.dialect = dialect;
    this.database = database;
    this.onRetry = onRetry;
    this.responseTimeout = responseTimeout;
  }

  /**
   * Returns transactions of short statements, given up if the database does not answer one of them
   * within {@link Timeouts#response}: a server that hangs answers nothing, and its connections stay
   * open.
   *
   * @param onRetry called before each retry
   */
  public static Transactions failFast(Dialect dialect, DataSource database, Runnable onRetry) {
    return new Transactions(dialect, database, onRetry, Optional.of(Timeouts.response(database)));
  }

  /**
   * Returns transactions of short statements that may wait for a lock, given up if the database
   * does not answer one of them within {@link Timeouts#LOCK} and {@link Timeouts#response}
   * together.
   *
   * @param onRetry called before each retry
   */
  public static Transactions waitingForLocks(
      Dialect dialect, DataSource database, Runnable onRetry) {
    return new Transactions(
        dialect, database, onRetry, Optional.of(Timeouts.LOCK.plus(Timeouts.response(database))));
  }

  /**
   * Runs work in one transaction, which is committed when this returns. If it throws, nothing was
   * committed, unless the response to the commit was lost: see {@link StoreException#outcome}.
   */
  public <T> T write(Work<T> work) {
    return withRetries(() -> once(work));
  }

  /** Runs a single statement in auto-commit mode, so that the commit costs no round trip. */
  public <T> T autoCommit(Work<T> work) {
    return withRetries(
        () -> connected(on -> UnknownOutcomeException.committing(() -> work.on(on))));
  }

  private interface Attempt<T> {
    T run() throws SQLException;
  }

  private <T> T withRetries(Attempt<T> attempt) {
    for (int attempts = 1; ; attempts++) {
      try {
        return attempt.run();
      } catch (SQLException e) {
        if (!isRetryable(e)) {
          throw failure(dialect, e);
        }
        if (attempts == MAX_ATTEMPTS) {
          throw failure(dialect, CONFLICT, e);
        }
        onRetry.run();
        pause(attempts, e);
      }
    }
  }

  /**
   * Lets the transactions of a conflict go on at different times: those that begin again together
   * may meet again. The first retry does not wait, because the other transaction has usually ended.
   * All pauses of a transaction together are shorter than 130 ms.
   */
  private void pause(int attempts, SQLException conflict) {
    if (attempts == 1) {
      return;
    }
    long maxNanos = PAUSE_NANOS << (attempts - 2);
    try {
      Thread.sleep(Duration.ofNanos(ThreadLocalRandom.current().nextLong(maxNanos)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(dialect, CONFLICT, conflict);
    }
  }

  /**
   * Runs work that ends in a single statement in auto-commit mode, which it sends by {@link
   * UnknownOutcomeException#committing}. Returns empty, and has done nothing, if the statement
   * wrote nothing or conflicted with another transaction.
   */
  public <T> Optional<T> attempt(Work<Optional<T>> work) {
    try {
      return connected(work);
    } catch (SQLException e) {
      if (!isRetryable(e)) {
        throw failure(dialect, e);
      }
      onRetry.run();
      return Optional.empty();
    }
  }

  /** Runs single statements that change nothing. */
  public <T> T read(Work<T> work) {
    try (Connection connection = connect()) {
      return work.on(connection);
    } catch (SQLException e) {
      throw failure(dialect, e);
    }
  }

  /** Runs several statements that change nothing on one snapshot of the database. */
  public <T> T snapshot(Work<T> work) {
    return switch (dialect) {
      case POSTGRESQL ->
          StoreException.whileReading(
              () ->
                  write(
                      connection -> {
                        Sql.update(
                            connection,
                            "set transaction isolation level repeatable read, read only");
                        return work.on(connection);
                      }));
      // A serializable transaction of Oracle reads one snapshot; as it writes nothing, it cannot
      // fail to be serializable. It fails if its snapshot has become too old, and is repeated on a
      // newer one.
      case ORACLE ->
          StoreException.whileReading(
              () -> withRetries(() -> connected(on -> serializable(on, work))));
    };
  }

  private static <T> T serializable(Connection connection, Work<T> work) throws SQLException {
    int before = connection.getTransactionIsolation();
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    connection.setAutoCommit(false);
    try {
      return work.on(connection);
    } catch (StoreException e) {
      // Work that cannot throw the database's exception has wrapped it by failure().
      if (e.getCause() instanceof SQLException failed) {
        throw failed;
      }
      throw e;
    } finally {
      connection.rollback();
      connection.setTransactionIsolation(before);
    }
  }

  private <T> T once(Work<T> work) throws SQLException {
    return connected(
        connection -> {
          // The driver sends BEGIN along with the first statement, without an extra round trip.
          connection.setAutoCommit(false);
          try {
            T result = work.on(connection);
            return UnknownOutcomeException.committing(
                () -> {
                  connection.commit();
                  return result;
                });
          } catch (SQLException | RuntimeException | Error e) {
            rollBack(connection, e);
            throw e;
          }
        });
  }

  private <T> T connected(Work<T> work) throws SQLException {
    boolean isDone = false;
    try (Connection connection = connect()) {
      T result = work.on(connection);
      isDone = true;
      return result;
    } catch (SQLException e) {
      // If only closing the connection failed, the failure must not claim that nothing was done.
      throw isDone ? new UnknownOutcomeException(e) : e;
    }
  }

  /** The pool resets the timeout when the connection is returned. */
  private Connection connect() throws SQLException {
    Connection connection = database.getConnection();
    if (responseTimeout.isPresent()) {
      try {
        connection.setNetworkTimeout(
            Runnable::run, Math.toIntExact(responseTimeout.get().toMillis()));
      } catch (SQLException e) {
        closeAfter(e, connection);
        throw e;
      }
    }
    return connection;
  }

  private static void closeAfter(SQLException failure, Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /** If rolling back fails too, the first failure is the one to report. */
  private static void rollBack(Connection connection, Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private boolean isRetryable(SQLException e) {
    return RETRYABLE_STATES.contains(String.valueOf(e.getSQLState()))
        || (dialect == Dialect.ORACLE && OracleErrors.isConflict(e));
  }

  /** Returns the failure that callers see. Its outcome is unknown only if a commit was lost. */
  public static StoreException failure(Dialect dialect, SQLException e) {
    return failure(dialect, "the database failed", e);
  }

  private static StoreException failure(Dialect dialect, String what, SQLException e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      // The driver wraps an OutOfMemoryError: this process failed, not the database.
      if (cause instanceof Error error) {
        throw error;
      }
    }
    StoreException.Outcome outcome =
        e instanceof UnknownOutcomeException
            ? StoreException.Outcome.UNKNOWN
            : StoreException.Outcome.NONE;
    return new StoreException(dialect.id(), outcome, what + ": " + e.getMessage(), e);
  }
}
