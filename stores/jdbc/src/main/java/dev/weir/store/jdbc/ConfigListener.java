package dev.weir.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears from the database which configurations have changed, on a thread and a connection of its
 * own. While it cannot listen, the time to live of cached configurations is the safety net.
 */
public final class ConfigListener implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ConfigListener.class);
  private static final Duration WAIT = Duration.ofSeconds(1);

  private final DataSource database;
  private final Consumer<String> changed;
  private final Runnable allChanged;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CountDownLatch listening = new CountDownLatch(1);
  private final Thread thread;

  /**
   * Starts to listen.
   *
   * @param changed told the name of a configuration that has changed
   * @param allChanged told that any may have changed
   */
  public ConfigListener(DataSource database, Consumer<String> changed, Runnable allChanged) {
    this.database = database;
    this.changed = changed;
    this.allChanged = allChanged;
    this.thread = Thread.ofPlatform().daemon().name("weir-config-listener").start(this::run);
  }

  /** Tells every node to drop what it has cached. */
  public static void flushEverywhere(DataSource database) {
    new Transactions(database, () -> {})
        .write(
            connection -> {
              ConfigSignal.send(connection, ConfigSignal.ALL);
              return true;
            });
  }

  /** Waits until it has listened for the first time; false if that takes too long. */
  public boolean awaitListening(Duration most) throws InterruptedException {
    return listening.await(most.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run() {
    while (closed.getCount() > 0) {
      try (Connection connection = database.getConnection()) {
        listen(connection);
      } catch (SQLException e) {
        log.warn("Cannot hear of changed configurations, trying again: {}", e.getMessage());
        pause();
      }
    }
  }

  private void listen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("listen " + ConfigSignal.CHANNEL);
      // Whatever was said before is lost.
      allChanged.run();
      listening.countDown();
      try {
        hear(connection.unwrap(PGConnection.class));
      } finally {
        // A statement of the pool's connection: if that is dead, the pool learns of it here.
        statement.execute("unlisten " + ConfigSignal.CHANNEL);
      }
    }
  }

  private void hear(PGConnection connection) throws SQLException {
    while (closed.getCount() > 0) {
      for (PGNotification heard : connection.getNotifications((int) WAIT.toMillis())) {
        if (heard.getParameter().equals(ConfigSignal.ALL)) {
          allChanged.run();
        } else {
          changed.accept(heard.getParameter());
        }
      }
    }
  }

  private void pause() {
    try {
      if (closed.await(WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        log.debug("Closed while waiting for the database");
      }
    } catch (InterruptedException e) {
      closed.countDown();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join(WAIT.multipliedBy(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
