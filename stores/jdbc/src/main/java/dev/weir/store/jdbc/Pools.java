package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.engine.StoreException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;

/** What the pools of all databases share. */
final class Pools {
  private Pools() {}

  /**
   * Returns a pool of connections that the connector opens.
   *
   * @param firstStatement executed on each new connection; empty for none
   */
  static HikariDataSource open(
      PoolSettings settings, RetryingConnector connector, String firstStatement) {
    HikariConfig config = new HikariConfig();
    if (!firstStatement.isEmpty()) {
      config.setConnectionInitSql(firstStatement);
    }
    config.setPoolName("weir");
    config.setDataSource(connector);
    config.setMinimumIdle(settings.minConnections());
    config.setMaximumPoolSize(settings.maxConnections());
    config.setConnectionTimeout(settings.waitForConnection().toMillis());
    // Validating a connection whose server is gone must not use up the caller's whole wait.
    config.setValidationTimeout(
        Math.clamp(settings.waitForConnection().toMillis() / 2, 250, 1_000));
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  /**
   * @param migrations the folder of the migrations on the class path
   */
  static Flyway flyway(DataSource database, String migrations) {
    return Flyway.configure()
        .dataSource(database)
        .locations(migrations)
        .table("weir_migration")
        .baselineOnMigrate(true)
        .baselineVersion("0")
        // Versions are numbered by capability, so a new one may be below the highest.
        .outOfOrder(true)
        .load();
  }

  static boolean migrate(Flyway flyway) {
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
