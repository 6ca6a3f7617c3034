package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Timeouts;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.postgresql.Driver;

/** Connections to PostgreSQL, and the tables that Weir needs there. */
public final class PostgresqlPool {
  /** "weir", and one: the number of an advisory lock. */
  private static final long MIGRATION_LOCK = 0x7765697201L;

  /**
   * For migrations. A lock that is not free is still given up soon, because statements of all nodes
   * would wait behind it.
   */
  private static final List<String> LASTING_SESSION =
      List.of("set statement_timeout = 0", "set idle_in_transaction_session_timeout = 0");

  /** States of transient failures: too many connections, shutting down, starting up. */
  private static final Set<String> TRANSIENT_STATES = Set.of("53300", "57P01", "57P02", "57P03");

  private static final String CONNECTION_FAILED = "08";

  private PostgresqlPool() {}

  /** Opens a pool. Does not wait for the database. */
  public static HikariDataSource open(PoolSettings settings) {
    return open(settings, Timeouts.SOCKET);
  }

  static HikariDataSource open(PoolSettings settings, Duration socketTimeout) {
    // Checked here because connections are opened later, and the driver's own message would repeat
    // the whole URL.
    if (Driver.parseURL(settings.url(), new Properties()) == null) {
      throw new IllegalArgumentException("url must be jdbc:postgresql://host:port/database");
    }
    return Pools.open(
        settings,
        new RetryingConnector(
            settings.url(),
            driverProperties(settings),
            socketTimeout,
            PostgresqlPool::isTransient,
            LASTING_SESSION),
        new HikariConfig());
  }

  private static boolean isTransient(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return state.startsWith(CONNECTION_FAILED) || TRANSIENT_STATES.contains(state);
  }

  private static Properties driverProperties(PoolSettings settings) {
    Properties properties = new Properties();
    if (!settings.user().isEmpty()) {
      properties.setProperty("user", settings.user());
      properties.setProperty("password", settings.password());
    }
    properties.setProperty("ApplicationName", "weir");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("connectTimeout", "5");
    properties.setProperty(
        "socketTimeout", Long.toString(RetryingConnector.HANDSHAKE_TIMEOUT.toSeconds()));
    properties.setProperty("options", options(Timeouts.LOCK, Timeouts.STATEMENT));
    return properties;
  }

  /**
   * Returns the settings of each session. The timeouts keep a node that hangs in a transaction from
   * locking a configuration forever. Every statement has an index and one good plan: a plan made
   * while a table was empty, or by statistics of another time, must not scan the table once it has
   * grown, nor read a whole range of an index to sort it, which a bitmap allows. Planning each
   * batch anew costs more than a quarter of its time.
   */
  static String options(Duration lockTimeout, Duration statementTimeout) {
    return "-c lock_timeout=%ss -c statement_timeout=%ss"
            .formatted(lockTimeout.toSeconds(), statementTimeout.toSeconds())
        + " -c idle_in_transaction_session_timeout=%ss".formatted(statementTimeout.toSeconds())
        // Sessions that only hold a lock are idle; the pool ends those that are idle for nothing.
        + " -c idle_session_timeout=0"
        + " -c plan_cache_mode=force_generic_plan -c enable_seqscan=off"
        + " -c enable_bitmapscan=off -c jit=off";
  }

  /**
   * Examines the tables now, and whenever the pool opens a connection from now on.
   *
   * @param pool from {@link #open}
   * @throws StoreException if the tables are older than they have to be, or of a build that cannot
   *     be upgraded to this one
   */
  public static RequiredTables requireTables(HikariDataSource pool) {
    return RequiredTables.guard(Dialect.POSTGRESQL, pool);
  }

  /**
   * Creates or updates the tables, also those of products that are on the class path. Nodes that
   * start at the same time wait for each other.
   *
   * @throws StoreException if that fails, or the tables belong to a version that cannot be upgraded
   */
  public static void migrate(DataSource database) {
    DataSource connections = Migrations.connections(database);
    Flyway flyway = Migrations.flyway(connections, "classpath:db/weir/postgresql");
    new Transactions(Dialect.POSTGRESQL, connections, () -> {})
        .write(
            connection -> {
              for (String timeout : List.of("lock", "statement", "idle_in_transaction_session")) {
                Sql.update(connection, "set local " + timeout + "_timeout = 0");
              }
              Sql.first(connection, row -> true, "select pg_advisory_xact_lock(?)", MIGRATION_LOCK);
              return Migrations.run(flyway);
            });
  }
}
