package dev.weir.store.jdbc;

import dev.weir.engine.StoreException;
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
 * Hears from the database what has changed, on a thread and a connection of its own. While it
 * cannot listen, the time to live of what is cached is the safety net.
 */
public final class ChangeListener implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChangeListener.class);
  private static final Duration WAIT = Duration.ofSeconds(1);

  private final DataSource database;
  private final Map<Channel, Hearer> hearers;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CountDownLatch listening = new CountDownLatch(1);
  private final Thread thread;

  /** Is told of changes. What it throws ends the listening until the next try. */
  public interface Hearer {
    void changed(String name);

    /** Any may have changed. */
    void allChanged();
  }

  /** Starts to listen. */
  public ChangeListener(DataSource database, Map<Channel, Hearer> hearers) {
    this.database = database;
    this.hearers = new EnumMap<>(hearers);
    this.thread = Thread.ofPlatform().daemon().name("weir-change-listener").start(this::run);
  }

  /** Waits until it has listened for the first time; false if that takes too long. */
  public boolean awaitListening(Duration most) throws InterruptedException {
    return listening.await(most.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run() {
    while (closed.getCount() > 0) {
      try (Connection connection = database.getConnection()) {
        listen(connection);
      } catch (SQLException | StoreException e) {
        log.warn("Cannot hear of changes, trying again: {}", e.getMessage());
        pause();
      }
    }
  }

  private void listen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (Channel channel : hearers.keySet()) {
        statement.execute("listen " + channel.id());
      }
      // Whatever was said before is lost.
      hearers.values().forEach(Hearer::allChanged);
      listening.countDown();
      try {
        hear(connection.unwrap(PGConnection.class));
      } finally {
        // A statement of the pool's connection: if that is dead, the pool learns of it here.
        statement.execute("unlisten *");
      }
    }
  }

  private void hear(PGConnection connection) throws SQLException {
    while (closed.getCount() > 0) {
      for (PGNotification heard : connection.getNotifications((int) WAIT.toMillis())) {
        hearers.forEach(
            (channel, hearer) -> {
              if (channel.id().equals(heard.getName())) {
                tell(hearer, heard.getParameter());
              }
            });
      }
    }
  }

  private static void tell(Hearer hearer, String name) {
    if (name.equals(Channel.ALL)) {
      hearer.allChanged();
    } else {
      hearer.changed(name);
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
