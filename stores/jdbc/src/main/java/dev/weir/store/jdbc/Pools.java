package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.engine.StoreException;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;

/** What the pools of all databases share. */
final class Pools {
  /** Where the migrations that were executed are noted. */
  static final String NOTES = "weir_migration";

  private Pools() {}

  /**
   * Returns a pool of connections that the connector opens.
   *
   * @param config what differs between databases
   */
  static HikariDataSource open(
      PoolSettings settings, RetryingConnector connector, HikariConfig config) {
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
        .table(NOTES)
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
      List<FailedMigration> failed = FailedMigration.of(flyway);
      if (!failed.isEmpty()) {
        return repeat(flyway, failed, e);
      }
      throw new StoreException(
          StoreException.Outcome.NONE,
          "Weir's tables were created by a build that cannot be upgraded to this one;"
              + " use an empty database or data folder",
          e);
    } catch (FlywayException e) {
      throw new StoreException(StoreException.Outcome.UNKNOWN, text(e), e);
    }
  }

  /**
   * Repeats a migration that failed half-way, which happens in databases that cannot roll back the
   * creation of a table. What it had created has to be dropped first, which is left to a person.
   */
  private static boolean repeat(
      Flyway flyway, List<FailedMigration> failed, FlywayException failure) {
    for (FailedMigration migration : failed) {
      String repair = migration.repair(flyway.getConfiguration().getDataSource());
      if (!repair.isEmpty()) {
        throw new StoreException(
            StoreException.Outcome.NONE,
            "the migration %s failed half-way; %s".formatted(migration.script(), repair),
            failure);
      }
    }
    try {
      // Removes the notes of the failures.
      flyway.repair();
      return flyway.migrate().success;
    } catch (FlywayException e) {
      throw new StoreException(StoreException.Outcome.UNKNOWN, text(e), e);
    }
  }

  /** Returns the first line of a failure, and what the database had to say. */
  private static String text(FlywayException failure) {
    String text = firstLine(failure);
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException refused) {
        return text + ": " + firstLine(refused);
      }
    }
    return text;
  }

  private static String firstLine(Exception failure) {
    return String.valueOf(failure.getMessage()).strip().lines().findFirst().orElse("");
  }
}
