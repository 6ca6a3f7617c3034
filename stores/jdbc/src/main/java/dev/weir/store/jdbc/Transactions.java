package dev.weir.store.jdbc;

import dev.weir.engine.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** Runs work in transactions, and tries again what met somebody else at the same row. */
final class Transactions {
  /** Unique violation, serialisation failure, deadlock: the other one won, a new try sees it. */
  private static final Set<String> WORTH_A_TRY = Set.of("23505", "40001", "40P01");

  /** The state of an exception that asks for a new try. */
  static final String TRY_AGAIN = "40001";

  private static final int MOST_TRIES = 8;

  private final DataSource database;
  private final Runnable contended;

  /** How long the database may take for each answer; empty for as long as the driver waits. */
  private final Optional<Duration> patience;

  /** Work on a connection. */
  interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  /**
   * @param contended told of each new try
   */
  Transactions(DataSource database, Runnable contended) {
    this(database, contended, Optional.empty());
  }

  private Transactions(DataSource database, Runnable contended, Optional<Duration> patience) {
    this.database = database;
    this.contended = contended;
    this.patience = patience;
  }

  /**
   * Transactions of short statements, given up if the database does not answer one of them within
   * {@link PostgresPool#patience}: a server that hangs answers nothing, and its connections stay
   * open.
   *
   * @param contended told of each new try
   */
  static Transactions prompt(DataSource database, Runnable contended) {
    return new Transactions(database, contended, Optional.of(PostgresPool.patience(database)));
  }

  /**
   * One transaction: all of it is on disk when this returns. If it throws, nothing is, unless the
   * answer to the commit was lost: {@link StoreException#outcome} says so.
   */
  <T> T write(Work<T> work) {
    return inTries(() -> once(work));
  }

  /** One statement that is a transaction by itself, so that its commit costs no round trip. */
  <T> T writeByOneStatement(Work<T> work) {
    return inTries(() -> connected(on -> UnansweredException.unlessAnswered(() -> work.on(on))));
  }

  private interface Try<T> {
    T run() throws SQLException;
  }

  private <T> T inTries(Try<T> attempt) {
    for (int tries = 1; ; tries++) {
      try {
        return attempt.run();
      } catch (SQLException e) {
        if (tries == MOST_TRIES || !WORTH_A_TRY.contains(String.valueOf(e.getSQLState()))) {
          throw failure(e);
        }
        contended.run();
      }
    }
  }

  /**
   * Work that ends in one statement, a transaction by itself, which it sends by {@link
   * UnansweredException#unlessAnswered}. Empty if that came to nothing, or met somebody else at the
   * same row: then nothing was done.
   */
  <T> Optional<T> attempt(Work<Optional<T>> work) {
    try {
      return connected(work);
    } catch (SQLException e) {
      if (!WORTH_A_TRY.contains(String.valueOf(e.getSQLState()))) {
        throw failure(e);
      }
      contended.run();
      return Optional.empty();
    }
  }

  /** Single statements that change nothing. */
  <T> T read(Work<T> work) {
    try (Connection connection = connect()) {
      return work.on(connection);
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /**
   * Runs work on one node at a time; false, and nothing is done, while another one is at it.
   *
   * <p>The lock belongs to the session: it goes with the connection, whatever becomes of this node.
   *
   * @param lock the number of the advisory lock
   */
  boolean alone(long lock, Runnable work) {
    return read(
        connection -> {
          if (!ask(connection, "select pg_try_advisory_lock(?)", lock)) {
            return false;
          }
          try {
            work.run();
          } finally {
            UnansweredException.unlessAnswered(
                () -> ask(connection, "select pg_advisory_unlock(?)", lock));
          }
          return true;
        });
  }

  private static boolean ask(Connection connection, String sql, long lock) throws SQLException {
    return Sql.first(connection, row -> row.getBoolean(1), sql, lock).orElseThrow();
  }

  /** Several statements that change nothing and see one state. */
  <T> T snapshot(Work<T> work) {
    Work<T> reading =
        connection -> {
          Sql.update(connection, "set transaction isolation level repeatable read, read only");
          return work.on(connection);
        };
    return StoreException.whileReading(() -> write(reading));
  }

  private <T> T once(Work<T> work) throws SQLException {
    return connected(
        connection -> {
          // The driver sends BEGIN along with the first statement: no round trip of its own.
          connection.setAutoCommit(false);
          try {
            T result = work.on(connection);
            return UnansweredException.unlessAnswered(
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
      // If only the closing failed, it must not look as if nothing was done.
      throw isDone ? new UnansweredException(e) : e;
    }
  }

  /** The pool takes a time-out back with the connection. */
  private Connection connect() throws SQLException {
    Connection connection = database.getConnection();
    if (patience.isPresent()) {
      try {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(patience.get().toMillis()));
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

  /** A connection that cannot even roll back has failed before: that failure is the one to tell. */
  private static void rollBack(Connection connection, Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private static StoreException failure(SQLException e) {
    StoreException.Outcome outcome =
        e instanceof UnansweredException
            ? StoreException.Outcome.UNKNOWN
            : StoreException.Outcome.NONE;
    return new StoreException(outcome, "the database failed: " + e.getMessage(), e);
  }
}
