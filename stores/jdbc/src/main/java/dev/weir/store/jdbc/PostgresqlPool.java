package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.engine.StoreException;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.postgresql.Driver;

/** Connections to PostgreSQL, and the tables that Weir needs there. */
public final class PostgresqlPool {
  /** "weir", and one: the number of an advisory lock. */
  private static final long MIGRATION_LOCK = 0x7765697201L;

  /** Migrations may take long, and nodes that start together wait for the first one. */
  private static final Duration MAX_MIGRATION = Duration.ofMinutes(30);

  /** How long the database lets a transaction wait for a lock. */
  public static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);

  /** Applies to data sources that are not a pool of this class. */
  private static final Duration DEFAULT_RESPONSE_TIMEOUT = Duration.ofSeconds(3);

  /** A flush to a busy disk may take this long. */
  private static final Duration MIN_RESPONSE_TIMEOUT = Duration.ofSeconds(1);

  /**
   * Longer than the statement timeout: a server that sends nothing for this long is considered
   * gone.
   */
  private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(40);

  private PostgresqlPool() {}

  /**
   * Address and size of a pool.
   *
   * @param waitForConnection how long a caller waits for a connection before the call fails, and
   *     how long a limit decision waits for its response
   */
  public record Settings(
      String url,
      String user,
      String password,
      int minConnections,
      int maxConnections,
      Duration waitForConnection) {}

  /** Opens a pool. Does not wait for the database. */
  public static HikariDataSource open(Settings settings) {
    // Checked here because connections are opened later, and the driver's own message would repeat
    // the whole URL.
    if (Driver.parseURL(settings.url(), new Properties()) == null) {
      throw new IllegalArgumentException("url must be jdbc:postgresql://host:port/database");
    }
    HikariConfig config = new HikariConfig();
    config.setPoolName("weir");
    config.setDataSource(
        new RetryingConnector(settings.url(), driverProperties(settings), SOCKET_TIMEOUT));
    config.setMinimumIdle(settings.minConnections());
    config.setMaximumPoolSize(settings.maxConnections());
    config.setConnectionTimeout(settings.waitForConnection().toMillis());
    // Validating a connection whose server is gone must not use up the caller's whole wait.
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
    // The timeouts keep a node that hangs in a transaction from locking a configuration forever.
    // Every statement has an index and one good plan: a plan made while a table was empty must not
    // scan the table once it has grown, and planning each batch anew costs more than a quarter of
    // its time.
    properties.setProperty(
        "options",
        "-c lock_timeout=%ds -c statement_timeout=30s".formatted(LOCK_TIMEOUT.toSeconds())
            + " -c idle_in_transaction_session_timeout=30s"
            + " -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off");
    return properties;
  }

  /**
   * Returns how long short statements wait for their response: as long as callers wait for a
   * connection, but at least as long as a busy database may need, and at most as long as the driver
   * waits.
   */
  public static Duration responseTimeout(DataSource database) {
    if (!(database instanceof HikariDataSource pool)) {
      return DEFAULT_RESPONSE_TIMEOUT;
    }
    Duration wait = Duration.ofMillis(pool.getConnectionTimeout());
    if (wait.compareTo(MIN_RESPONSE_TIMEOUT) < 0) {
      return MIN_RESPONSE_TIMEOUT;
    }
    return wait.compareTo(SOCKET_TIMEOUT) > 0 ? SOCKET_TIMEOUT : wait;
  }

  /**
   * Creates or updates the tables. Nodes that start at the same time wait for each other.
   *
   * @throws StoreException if that fails, or the tables belong to a version that cannot be upgraded
   */
  public static void migrate(DataSource database) {
    Flyway flyway =
        Flyway.configure()
            .dataSource(database)
            .locations("classpath:db/weir/postgresql")
            .table("weir_migration")
            .baselineOnMigrate(true)
            .baselineVersion("0")
            // Versions are numbered by capability, so a new one may be below the highest.
            .outOfOrder(true)
            .load();
    // Flyway's own lock comes too late: two nodes may both find no history table and create it.
    new Transactions(database, () -> {})
        .write(
            connection -> {
              for (String timeout : List.of("lock", "statement", "idle_in_transaction_session")) {
                Sql.update(connection, "set local " + timeout + "_timeout = 0");
              }
              connection.setNetworkTimeout(Runnable::run, (int) MAX_MIGRATION.toMillis());
              Sql.first(connection, row -> true, "select pg_advisory_xact_lock(?)", MIGRATION_LOCK);
              return migrate(flyway);
            });
  }

  private static boolean migrate(Flyway flyway) {
    try {
      return flyway.migrate().success;
    } catch (FlywayValidateException e) {
      throw new StoreException(
          StoreException.Outcome.NONE,
          "Weir's tables were created by a build that cannot be upgraded to this one;"
              + " use an empty database or data folder",
          e);
    } catch (FlywayException e) {
      throw new StoreException(
          StoreException.Outcome.UNKNOWN, String.valueOf(e.getMessage()).strip(), e);
    }
  }
}
