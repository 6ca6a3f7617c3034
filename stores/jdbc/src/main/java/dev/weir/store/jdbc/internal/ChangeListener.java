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
        receive(connection.unwrap(PGConnection.class));
      } finally {
        // Runs on the pooled connection: if that is dead, the pool notices it here.
        statement.execute("unlisten *");
      }
    }
  }

  private void receive(PGConnection connection) throws SQLException {
    while (closed.getCount() > 0) {
      for (PGNotification notification : connection.getNotifications((int) WAIT.toMillis())) {
        listeners.forEach(
            (channel, listener) -> {
              if (channel.id().equals(notification.getName())) {
                dispatch(listener, notification.getParameter());
              }
            });
      }
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
