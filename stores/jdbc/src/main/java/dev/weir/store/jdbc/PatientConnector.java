package dev.weir.store.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Opens connections for the pool, and goes on trying at short intervals while the server is down.
 *
 * <p>The pool by itself pauses longer after each failure, up to five seconds, and does not notice
 * that the server is back before the pause is over. A refused connection costs next to nothing, so
 * it is better to ask often. Callers do not wait for this: they wait for the pool, within its own
 * bound.
 */
final class PatientConnector implements DataSource {
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /**
   * How long the server may take for each of its first answers. Less than later ones: nothing works
   * on a statement yet, and a pool that opens one connection at a time would otherwise not notice
   * that another server has taken the place of one that hangs.
   */
  private static final Duration GREETING = Duration.ofSeconds(5);

  /** Too many connections, shutting down, starting up: what passes by itself. */
  private static final Set<String> PASSING = Set.of("53300", "57P01", "57P02", "57P03");

  private static final String CONNECTION_FAILED = "08";

  private final String url;
  private final Properties properties;
  private final Duration socketTimeout;

  /**
   * @param socketTimeout how long a connection waits for each answer, once it is open
   */
  PatientConnector(String url, Properties properties, Duration socketTimeout) {
    this.url = url;
    this.properties = properties;
    this.socketTimeout = socketTimeout;
    properties.setProperty("socketTimeout", Long.toString(GREETING.toSeconds()));
  }

  @Override
  public Connection getConnection() throws SQLException {
    long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        Connection connection = DriverManager.getConnection(url, properties);
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(socketTimeout.toMillis()));
        return connection;
      } catch (SQLException e) {
        if (!passes(e) || System.nanoTime() - deadlineNanos > 0) {
          throw e;
        }
        pause(e);
      }
    }
  }

  private static boolean passes(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return state.startsWith(CONNECTION_FAILED) || PASSING.contains(state);
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
    throw new SQLFeatureNotSupportedException("user and password are among the properties");
  }

  /** How long the pool waits for an attempt under way when it is closed. */
  @Override
  public int getLoginTimeout() {
    return 1;
  }

  /** How long an attempt may take is among the properties. */
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
    throw new SQLException("wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
