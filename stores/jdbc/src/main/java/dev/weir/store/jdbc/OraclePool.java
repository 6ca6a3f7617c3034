package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.weir.StoreException;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.OracleErrors;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Timeouts;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Connections to Oracle 19c or later, and the tables that Weir needs there. The driver is not part
 * of this library: {@code com.oracle.database.jdbc:ojdbc17} has to be on the class path.
 */
public final class OraclePool {
  private static final String PREFIX = "jdbc:oracle:";

  /**
   * The driver would take the order of texts and the characters of numbers from this machine's
   * locale. Event ids are compared by their bytes everywhere. A migration waits for transactions of
   * other nodes that use its table, where Oracle would fail at once.
   */
  private static final String SESSION =
      "alter session set nls_sort = binary nls_comp = binary nls_numeric_characters = '.,'"
          + " ddl_lock_timeout = 30";

  private static final String CREATE_LOCK =
      "create table weir_migration_lock (id number(1) primary key)";

  private static final String FILL_LOCK =
      "insert into weir_migration_lock (id)"
          + " select 1 from dual where not exists (select 1 from weir_migration_lock)";

  private static final String FIND_LOCK = "select count(*) from weir_migration_lock";

  private static final String LOCK = "select id from weir_migration_lock where id = 1 for update";

  /** The pool itself tells a lost connection by its SQL state, which Oracle often does not set. */
  private static final SQLExceptionOverride EVICTION =
      new SQLExceptionOverride() {
        // Override alone would be the type that is nested in the interface.
        @java.lang.Override
        public Override adjudicate(SQLException e) {
          return OracleErrors.isLost(e) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
        }
      };

  private OraclePool() {}

  /** Opens a pool. Does not wait for the database. */
  public static HikariDataSource open(PoolSettings settings) {
    if (!settings.url().startsWith(PREFIX)) {
      throw new IllegalArgumentException("url must be jdbc:oracle:thin:@host:port/service");
    }
    HikariConfig config = new HikariConfig();
    config.setConnectionInitSql(SESSION);
    config.setExceptionOverride(EVICTION);
    return Pools.open(
        settings,
        new RetryingConnector(
            settings.url(),
            driverProperties(settings),
            Timeouts.SOCKET,
            OracleErrors::isTransient,
            List.of(SESSION)),
        config);
  }

  private static Properties driverProperties(PoolSettings settings) {
    Properties properties = new Properties();
    if (!settings.user().isEmpty()) {
      properties.setProperty("user", settings.user());
      properties.setProperty("password", settings.password());
    }
    String handshakeMillis = Long.toString(RetryingConnector.HANDSHAKE_TIMEOUT.toMillis());
    properties.setProperty("v$session.program", "weir");
    properties.setProperty("oracle.net.keepAlive", "true");
    properties.setProperty("oracle.net.CONNECT_TIMEOUT", handshakeMillis);
    properties.setProperty("oracle.jdbc.ReadTimeout", handshakeMillis);
    // Every batch sends the same few statements: they are parsed once for each connection.
    properties.setProperty("oracle.jdbc.implicitStatementCacheSize", "64");
    // Places of a window arrive with its row, without a round trip for each.
    properties.setProperty("oracle.jdbc.defaultLobPrefetchSize", "65536");
    properties.setProperty("defaultRowPrefetch", "256");
    // The driver would open a session in this machine's time zone by its name, and a server whose
    // list of zones is older than Java's refuses names that it does not know (ORA-01882).
    properties.setProperty("oracle.jdbc.timezoneAsRegion", "false");
    return properties;
  }

  /**
   * Examines the tables now, and whenever the pool opens a connection from now on.
   *
   * @param pool from {@link #open}
   * @throws StoreException if the tables are older than they have to be, or of a build that cannot
   *     be upgraded to this one
   */
  public static RequiredTables requireTables(HikariDataSource pool) {
    return RequiredTables.guard(Dialect.ORACLE, pool);
  }

  /**
   * Creates or updates the tables. Nodes that start at the same time wait for each other.
   *
   * @throws StoreException if that fails, or the tables belong to a version that cannot be upgraded
   */
  public static void migrate(DataSource database) {
    DataSource connections = Migrations.connections(database);
    Flyway flyway = Migrations.flyway(connections, "classpath:db/weir/oracle");
    Transactions transactions = new Transactions(Dialect.ORACLE, connections, () -> {});
    createLock(transactions);
    transactions.write(
        connection -> {
          Sql.first(connection, row -> true, LOCK);
          return Migrations.run(flyway);
        });
  }

  /**
   * Creates the lock of migrations. It is a table of its own, because the tables that Weir locks
   * otherwise are created by migrations, and locks without a table need rights that few users have.
   */
  private static void createLock(Transactions transactions) {
    if (!isThere(transactions)) {
      try {
        transactions.write(connection -> Sql.update(connection, CREATE_LOCK));
      } catch (StoreException e) {
        // Another node may have created it meanwhile.
        if (!isThere(transactions)) {
          throw e;
        }
      }
    }
    // If another node inserts the row meanwhile, the second attempt finds it.
    transactions.write(connection -> Sql.update(connection, FILL_LOCK));
  }

  private static boolean isThere(Transactions transactions) {
    try {
      transactions.read(connection -> Sql.first(connection, row -> true, FIND_LOCK));
      return true;
    } catch (StoreException e) {
      return false;
    }
  }
}
