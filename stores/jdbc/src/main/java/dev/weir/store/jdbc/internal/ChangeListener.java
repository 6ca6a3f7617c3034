package dev.weir.store.jdbc.internal;

import dev.weir.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for change notifications from the database, on its own thread and connection. While it
 * cannot listen, cached values expire by their time to live.
 */
public final class ChangeListener implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChangeListener.class);
  private static final Duration WAIT = Duration.ofSeconds(1);
  private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(10);
  private static final Duration MAX_ANSWER = Duration.ofSeconds(5);

  private final DataSource database;
  private final Map<Channel, Listener> listeners;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CountDownLatch listening = new CountDownLatch(1);
  private final Thread thread;

  /** Receives changes. If it throws, listening stops until the next attempt. */
  public interface Listener {
    void changed(String name);

    /** Called when any name may have changed. */
    void allChanged();
  }

  /** Starts listening. */
  public ChangeListener(DataSource database, Map<Channel, Listener> listeners) {
    this.database = database;
    this.listeners = new EnumMap<>(listeners);
    this.thread = Thread.ofPlatform().daemon().name("weir-change-listener").start(this::run);
  }

  /** Waits until listening has started; returns false if that takes longer than the timeout. */
  public boolean awaitListening(Duration timeout) throws InterruptedException {
    return listening.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run() {
    while (closed.getCount() > 0) {
      try (Connection connection = database.getConnection()) {
        listen(connection);
      } catch (SQLException | StoreException e) {
        log.warn("Cannot listen for changes, retrying: {}", e.getMessage());
        pause();
      } catch (RuntimeException | Error e) {
        // A listener may fail by anything; the changes that follow must be noticed all the same.
        log.error("Listening for changes failed, retrying", e);
        pause();
      }
    }
  }

  private void listen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (Channel channel : listeners.keySet()) {
        statement.execute("listen " + channel.id());
      }
      // Notifications sent before this point are lost.
      listeners.values().forEach(Listener::allChanged);
      listening.countDown();
      try {
        receive(connection);
      } finally {
        // Runs on the pooled connection: if that is dead, the pool notices it here.
        statement.execute("unlisten *");
      }
    }
  }

  private void receive(Connection connection) throws SQLException {
    PGConnection source = connection.unwrap(PGConnection.class);
    long checkedNanos = System.nanoTime();
    while (closed.getCount() > 0) {
      if (System.nanoTime() - checkedNanos >= BETWEEN_CHECKS.toNanos()) {
        requireAnswer(connection);
        checkedNanos = System.nanoTime();
      }
      for (PGNotification notification : source.getNotifications((int) WAIT.toMillis())) {
        listeners.forEach(
            (channel, listener) -> {
              if (channel.id().equals(notification.getName())) {
                dispatch(listener, notification.getParameter());
              }
            });
      }
    }
  }

  /** A connection whose other end is gone without a word only stays silent. */
  private static void requireAnswer(Connection connection) throws SQLException {
    if (!connection.isValid((int) MAX_ANSWER.toSeconds())) {
      throw new SQLException("the connection does not answer");
    }
  }

  private static void dispatch(Listener listener, String name) {
    if (name.equals(Channel.ALL)) {
      listener.allChanged();
    } else {
      listener.changed(name);
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
