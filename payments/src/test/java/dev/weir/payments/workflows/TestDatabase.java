package dev.weir.payments.workflows;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.PostgresqlPool;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A real PostgreSQL in a temporary folder, started once for all tests of this process. */
public final class TestDatabase {
  private static final String TEMPLATE = "weir_template";
  private static final String BACKUP = "_backup";
  private static final int CONNECTIONS = 20;

  /** For the server and its connections, on a machine with much else to do. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);

  private static final AtomicInteger OPENED = new AtomicInteger();

  private TestDatabase() {}

  private static final class Started {
    static final EmbeddedPostgres SERVER = start();
  }

  /** Opens a new database whose tables are there and empty. The caller closes it. */
  public static HikariDataSource open() {
    return open(CONNECTIONS);
  }

  /** Opens a new database with a pool of a number of connections. */
  public static HikariDataSource open(int connections) {
    String name = "weir_" + OPENED.incrementAndGet();
    execute(Started.SERVER, "create database %s template %s".formatted(name, TEMPLATE));
    return pool(Started.SERVER, name, connections);
  }

  /** Keeps a copy of a database. Its connections are closed. */
  public static void backUp(HikariDataSource database) {
    String name = name(database);
    replace(name + BACKUP, name);
  }

  /** Replaces a database by the copy that was kept. Its connections are closed. */
  public static void restore(HikariDataSource database) {
    String name = name(database);
    replace(name, name + BACKUP);
  }

  private static void replace(String database, String by) {
    for (String used : List.of(database, by)) {
      execute(
          Started.SERVER,
          "update pg_database set datallowconn = false where datname = '%s'".formatted(used));
      endConnections(Started.SERVER, used);
    }
    execute(Started.SERVER, "drop database if exists " + database);
    execute(Started.SERVER, "create database %s template %s".formatted(database, by));
    execute(Started.SERVER, "alter database %s allow_connections true".formatted(by));
  }

  /** Waits until they have ended: a database with connections cannot be copied. */
  private static void endConnections(EmbeddedPostgres server, String database) {
    execute(
        server,
        "select pg_terminate_backend(pid, %d) from pg_stat_activity where datname = '%s'"
            .formatted(MAX_WAIT.toMillis(), database));
  }

  private static String name(HikariDataSource database) {
    try (Connection connection = database.getConnection()) {
      return connection.getCatalog();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static EmbeddedPostgres start() {
    try {
      // It stops and removes its folder when this process ends.
      EmbeddedPostgres server = EmbeddedPostgres.builder().setPGStartupWait(MAX_WAIT).start();
      execute(server, "create database " + TEMPLATE);
      try (HikariDataSource pool = pool(server, TEMPLATE, CONNECTIONS)) {
        PostgresqlPool.migrate(pool);
      }
      endConnections(server, TEMPLATE);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void execute(EmbeddedPostgres server, String sql) {
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private static HikariDataSource pool(EmbeddedPostgres server, String database, int connections) {
    return PostgresqlPool.open(
        new PoolSettings(
            server.getJdbcUrl("postgres", database), "postgres", "", 1, connections, MAX_WAIT));
  }
}
