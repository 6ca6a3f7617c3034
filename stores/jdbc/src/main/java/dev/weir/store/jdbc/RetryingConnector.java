package dev.weir.store.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections for the pool, and retries at short intervals while the server is down.
 *
 * <p>The pool's own back-off grows with each failure, up to five seconds, and does not notice that
 * the server is back before the pause is over. A refused connection costs almost nothing, so it is
 * better to retry often. Callers do not wait for this: they wait for the pool, up to its connection
 * timeout.
 */
final class RetryingConnector implements DataSource {
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration MAX_WAIT = Duration.ofMinutes(1);

  /**
   * Socket timeout while a connection is being opened, which the properties should set. Shorter
   * than that of an open connection: no statement is running yet, and a pool that opens one
   * connection at a time would otherwise not notice that another server has replaced one that
   * hangs.
   */
  static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(5);

  private final String url;
  private final Properties properties;
  private final Duration socketTimeout;
  private final Predicate<SQLException> isTransient;

  /** Statements for each new connection that is to last. */
  private final List<String> lastingSession;

  /** Statements for each new connection of this connector. */
  private final List<String> session;

  /** Refuses a new connection by an exception. */
  private volatile Examination examination = connection -> {};

  /** Why the latest attempt failed; null if it did not. */
  private volatile @Nullable SQLException failure;

  /** Looks at a new connection, and throws if it is not to be used. */
  interface Examination {
    void of(Connection connection) throws SQLException;
  }

  /**
   * @param socketTimeout how long an open connection waits for each response
   * @param isTransient whether a failure to connect may go away soon
   * @param lastingSession statements that prepare a connection of {@link #withoutHaste}
   */
  RetryingConnector(
      String url,
      Properties properties,
      Duration socketTimeout,
      Predicate<SQLException> isTransient,
      List<String> lastingSession) {
    this(url, properties, socketTimeout, isTransient, lastingSession, List.of());
  }

  private RetryingConnector(
      String url,
      Properties properties,
      Duration socketTimeout,
      Predicate<SQLException> isTransient,
      List<String> lastingSession,
      List<String> session) {
    this.url = url;
    this.properties = properties;
    this.socketTimeout = socketTimeout;
    this.isTransient = isTransient;
    this.lastingSession = lastingSession;
    this.session = session;
  }

  /** Returns a connector to the same server for statements that may take long. */
  RetryingConnector withoutHaste(Duration maxStatement) {
    return new RetryingConnector(
        url, properties, maxStatement, isTransient, lastingSession, lastingSession);
  }

  /** Examines each connection that is opened from now on, but none of {@link #withoutHaste}. */
  void examine(Examination each) {
    examination = each;
  }

  @Override
  public Connection getConnection() throws SQLException {
    long deadlineNanos = System.nanoTime() + MAX_WAIT.toNanos();
    while (true) {
      try {
        Connection connection = DriverManager.getConnection(url, properties);
        prepare(connection);
        failure = null;
        return connection;
      } catch (SQLException e) {
        failure = e;
        if (!isTransient.test(e) || System.nanoTime() - deadlineNanos > 0) {
          throw e;
        }
        pause(e);
      }
    }
  }

  private void prepare(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // Within the time of the handshake: another server may have replaced one that hangs.
      examination.of(connection);
      connection.setNetworkTimeout(Runnable::run, Math.toIntExact(socketTimeout.toMillis()));
      for (String sql : session) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** Returns why the latest attempt failed; empty if it did not. */
  Optional<SQLException> failure() {
    return Optional.ofNullable(failure);
  }

  private static void pause(SQLException failure) throws SQLException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure;
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the connection properties set user and password");
  }

  /** How long a closing pool waits for a connection that is being opened, in seconds. */
  @Override
  public int getLoginTimeout() {
    return 1;
  }

  /** Ignored: the connection properties set how long an attempt may take. */
  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("not a wrapper for " + type.getName());
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
