package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.internal.Micros;
import dev.weir.slots.SlotObserver;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.slots.internal.PatientNodes;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.FreePort;
import dev.weir.store.tck.slots.Node;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * A real PostgreSQL in a temporary folder, started once for all tests of this process, on first
 * use.
 */
public final class Database {
  /** However busy the machine is, callers wait in turn. */
  public static final Duration MAX_WAIT = Duration.ofMinutes(2);

  private static final String IN_USE = "55006";

  private final String url;
  private final HikariDataSource pool;
  private final HikariDataSource otherPool;

  private Database(String server) {
    String options = PostgresqlPool.options(MAX_WAIT, MAX_WAIT.multipliedBy(2));
    this.url = server + "&options=" + options.replace(" ", "%20");
    this.pool = openPool(url);
    this.otherPool = openPool(url);
  }

  /** Returns a database whose tables are up to date. */
  public static Database get() {
    return Started.ONE;
  }

  private static Database start() {
    try {
      // It stops and removes its folder when this process ends.
      EmbeddedPostgres postgresql =
          EmbeddedPostgres.builder()
              .setPort(FreePort.find())
              .setPGStartupWait(PostgresqlServer.STARTUP)
              .start();
      Database database = new Database(postgresql.getJdbcUrl("postgres", "postgres"));
      PostgresqlPool.migrate(database.pool);
      return database;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static HikariDataSource openPool(String url) {
    return PostgresqlPool.open(new PoolSettings(url, "postgres", "", 1, 12, MAX_WAIT));
  }

  /** Opens one connection through a relay or proxy that listens on a port. */
  public HikariDataSource openThrough(int relayPort, Duration wait) {
    String through = url.replace(":" + port(), ":" + relayPort) + "&sslmode=disable";
    return PostgresqlPool.open(new PoolSettings(through, "postgres", "", 1, 1, wait));
  }

  public String url() {
    return url;
  }

  public int port() {
    return URI.create(url.substring("jdbc:".length())).getPort();
  }

  /** Returns the connections of one node. */
  public HikariDataSource pool() {
    return pool;
  }

  /** Returns the connections of another node. */
  public HikariDataSource otherPool() {
    return otherPool;
  }

  /** Receives every change of a kind, as soon as it listens. */
  public ChangeListener listener(Channel channel, Runnable changed) {
    return new ChangeListener(
        pool,
        Map.of(
            channel,
            new ChangeListener.Listener() {
              @Override
              public void changed(String name) {
                changed.run();
              }

              @Override
              public void allChanged() {
                changed.run();
              }
            }));
  }

  /** Creates a database without tables on the same server; returns its address. */
  public String createEmpty() {
    String name = newName();
    execute(pool, "create database " + name);
    return addressOf(name);
  }

  private static String newName() {
    return "weir_" + UUID.randomUUID().toString().replace('-', '_');
  }

  private String addressOf(String name) {
    return url.replace("/postgres?", "/" + name + "?");
  }

  /** Creates a database whose tables are up to date, on the same server; returns its address. */
  public String createMigrated() {
    String name = newName();
    executeAlone("create database %s template %s".formatted(name, Template.NAME));
    return addressOf(name);
  }

  /** Repeats a statement while sessions that have ended still use the database that it needs. */
  public void executeAlone(String sql) {
    Await.until(
        () -> {
          try (Connection connection = pool.getConnection();
              Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return true;
          } catch (SQLException e) {
            if (!IN_USE.equals(e.getSQLState())) {
              throw new IllegalStateException(sql, e);
            }
            return false;
          }
        });
  }

  /** Repeats until there is a connection: a busy machine may need longer than the pool waits. */
  public static Connection connect(DataSource connections) {
    while (true) {
      try {
        return connections.getConnection();
      } catch (SQLException notYet) {
        Await.pause();
      }
    }
  }

  public static void execute(DataSource connections, String sql) {
    try (Connection connection = connections.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Returns the first column of the first row. */
  public static long number(DataSource connections, String sql) {
    try (Connection connection = connections.getConnection()) {
      return Sql.first(connection, row -> row.getLong(1), sql).orElseThrow();
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Repeats a query until it returns {@code expected}; the test's timeout is the bound. */
  public static void awaitNumber(DataSource connections, long expected, String sql) {
    while (number(connections, sql) != expected) {
      Await.pause();
    }
  }

  public static Node node(DataSource connections, InstantSource clock) {
    StoreClock time = databaseMicros -> Micros.ceil(clock.instant());
    return node(connections, time, SlotObserver.NONE);
  }

  public static Node node(DataSource connections, StoreClock time, SlotObserver observer) {
    return PatientNodes.open(Dialect.POSTGRESQL, connections, time, observer);
  }

  /**
   * Separate from the methods above, so that a process that only opens connections does not start
   * its own PostgreSQL.
   */
  private static final class Started {
    static final Database ONE = start();
  }

  /** A database that is copied, which takes less time than to migrate another. */
  private static final class Template {
    static final String NAME = create();

    private static String create() {
      String name = newName();
      execute(get().pool, "create database " + name);
      try (HikariDataSource connections = openPool(get().addressOf(name))) {
        PostgresqlPool.migrate(connections);
      }
      return name;
    }
  }
}
