package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.postgresql.Driver;

/** Connections to PostgreSQL, and the tables that Weir needs there. */
public final class PostgresPool {
  /** "weir", and one: the number of an advisory lock. */
  private static final long MIGRATION_LOCK = 0x7765697201L;

  /** Longer than what takes its time on purpose: migrations, and changes with a deep backlog. */
  static final Duration LONGEST_WAIT = Duration.ofMinutes(30);

  /** Of data sources that are no pool of this class. */
  private static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(3);

  /** A flush to a busy disk may take this long. */
  private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(1);

  /**
   * Longer than a statement may take: a server that says nothing for this long is gone without a
   * word.
   */
  private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(40);

  private PostgresPool() {}

  /**
   * How to connect.
   *
   * @param waitForConnection how long a caller waits for a connection before it is told that the
   *     database is gone, and how long a decision on limits waits for its answer
   */
  public record Settings(
      String url,
      String user,
      String password,
      int fewestConnections,
      int mostConnections,
      Duration waitForConnection) {}

  /** Opens a pool; does not wait for the database. */
  public static HikariDataSource open(Settings settings) {
    // Connections are opened later, and what the driver says of an address repeats all of it.
    if (Driver.parseURL(settings.url(), new Properties()) == null) {
      throw new IllegalArgumentException("url must be jdbc:postgresql://host:port/database");
    }
    HikariConfig config = new HikariConfig();
    config.setPoolName("weir");
    config.setDataSource(
        new PatientConnector(settings.url(), driverProperties(settings), SOCKET_TIMEOUT));
    config.setMinimumIdle(settings.fewestConnections());
    config.setMaximumPoolSize(settings.mostConnections());
    config.setConnectionTimeout(settings.waitForConnection().toMillis());
    // A connection whose server is gone must not cost its borrower the whole wait.
    config.setValidationTimeout(
        Math.clamp(settings.waitForConnection().toMillis() / 2, 250, 1_000));
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  private static Properties driverProperties(Settings settings) {
    Properties properties = new Properties();
    if (!settings.user().isEmpty()) {
      properties.setProperty("user", settings.user());
      properties.setProperty("password", settings.password());
    }
    properties.setProperty("ApplicationName", "weir");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("connectTimeout", "5");
    // A node that hangs in a transaction must not keep a configuration locked for ever. Every
    // statement here has its index and one good plan: a plan that was made while a table was empty
    // must not read the whole of it when it has grown, and planning each batch anew costs more than
    // a quarter of its time.
    properties.setProperty(
        "options",
        "-c lock_timeout=10s -c statement_timeout=30s"
            + " -c idle_in_transaction_session_timeout=30s"
            + " -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off");
    return properties;
  }

  /**
   * How long short statements wait for their answer: as long as callers wait for a connection, but
   * not less than a busy database may need, nor longer than the driver waits.
   */
  static Duration patience(DataSource database) {
    if (!(database instanceof HikariDataSource pool)) {
      return DEFAULT_PATIENCE;
    }
    Duration wait = Duration.ofMillis(pool.getConnectionTimeout());
    if (wait.compareTo(SHORTEST_PATIENCE) < 0) {
      return SHORTEST_PATIENCE;
    }
    return wait.compareTo(SOCKET_TIMEOUT) > 0 ? SOCKET_TIMEOUT : wait;
  }

  /** Brings the tables up to date; nodes that start at once wait for each other. */
  public static void migrate(HikariDataSource database) {
    Flyway flyway =
        Flyway.configure()
            .dataSource(database)
            .locations("classpath:db/weir/postgresql")
            .table("weir_migration")
            .baselineOnMigrate(true)
            .baselineVersion("0")
            // Each part has numbers of its own: the next of slots is below the first of limits.
            .outOfOrder(true)
            .load();
    // Flyway's own lock comes too late: two nodes may find no history and both begin one.
    new Transactions(database, () -> {})
        .write(
            connection -> {
              for (String timeout : List.of("lock", "statement", "idle_in_transaction_session")) {
                Sql.update(connection, "set local " + timeout + "_timeout = 0");
              }
              connection.setNetworkTimeout(Runnable::run, (int) LONGEST_WAIT.toMillis());
              Sql.first(connection, row -> true, "select pg_advisory_xact_lock(?)", MIGRATION_LOCK);
              return flyway.migrate();
            });
  }
}
