package dev.weir.torture.stage;

import dev.weir.server.faults.Database;
import dev.weir.server.faults.Stopped;
import dev.weir.server.faults.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Deque;

/**
 * A PostgreSQL and its synchronous standby, which has on its disk whatever was committed. When the
 * standby has taken over, a new one is made, and until that is there the database has none.
 */
final class DatabasePair {
  private static final Duration BOUND = Duration.ofMinutes(3);

  private final Path folder;
  private final Deque<AutoCloseable> started;
  private int made;
  private volatile Database primary;
  private Database standby;

  private DatabasePair(Path folder, Database primary, Deque<AutoCloseable> started)
      throws IOException {
    this.folder = folder;
    this.started = started;
    this.primary = primary;
    this.standby = makeStandby();
  }

  static DatabasePair start(Path folder, Deque<AutoCloseable> started) throws IOException {
    Database primary = Database.start(folder.resolve("database"));
    started.push(primary);
    return new DatabasePair(folder, primary, started);
  }

  Database primary() {
    return primary;
  }

  /** Copies the primary, which is stopped meanwhile, and waits until the copy follows it. */
  private Database makeStandby() throws IOException {
    made++;
    Path copy = folder.resolve("standby-" + made);
    // It reads the end of the log that a crash leaves behind.
    execute(primary, "alter system set wal_keep_size = '256MB'");
    primary.stop();
    primary.copyTo(copy);
    primary.startAgain();
    Path files = copy.resolve("postgresql");
    Files.writeString(files.resolve("standby.signal"), "");
    Files.writeString(
        files.resolve("postgresql.auto.conf"),
        """
        primary_conninfo = 'host=127.0.0.1 port=%d user=weir password=%s'
        wal_retrieve_retry_interval = '200ms'
        wal_keep_size = '256MB'
        """
            .formatted(primary.port(), primary.password()));
    Database next = Database.open(copy);
    started.push(next);
    execute(primary, "alter system set synchronous_standby_names = '*'");
    execute(primary, "select pg_reload_conf()");
    Waiting.until("a synchronous standby", BOUND, this::hasSynchronousStandby);
    return next;
  }

  private boolean hasSynchronousStandby() {
    try (Connection connection = primary.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select count(*) from pg_stat_replication where sync_state = 'sync'")) {
      return row.next() && row.getInt(1) == 1;
    } catch (SQLException e) {
      return false;
    }
  }

  private static void execute(Database database, String sql) throws IOException {
    try {
      database.execute(sql);
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  /** Stops the standby by SIGSTOP until the result is closed: nothing is committed meanwhile. */
  Stopped suspendStandby() throws IOException {
    return standby.hang();
  }

  /** Ends the standby without a warning. It starts again with what is on its disk. */
  void killStandby() {
    standby.kill();
  }

  /** The standby takes over from a primary that was killed. */
  void promote() {
    Waiting.until("the standby to take over", BOUND, this::isPromoted);
    primary = standby;
  }

  private boolean isPromoted() {
    try {
      standby.execute("select pg_promote()");
      return true;
    } catch (SQLException e) {
      // It is starting.
      return false;
    }
  }

  /** Makes a new standby after a failover. */
  void renew() throws IOException {
    Path old = folder.resolve(made == 1 ? "database" : "standby-" + (made - 1));
    Folders.delete(old);
    standby = makeStandby();
  }
}
