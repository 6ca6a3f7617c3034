package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.weir.store.jdbc.internal.OracleErrors;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;

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
            PostgresqlPool.SOCKET_TIMEOUT,
            OracleErrors::isTransient),
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
    return properties;
  }

  /**
   * Creates or updates the tables. Nodes that start at the same time wait for each other.
   *
   * @throws dev.weir.engine.StoreException if that fails, or the tables belong to a version that
   *     cannot be upgraded
   */
  public static void migrate(DataSource database) {
    Pools.migrate(Pools.flyway(database, "classpath:db/weir/oracle"));
  }
}
