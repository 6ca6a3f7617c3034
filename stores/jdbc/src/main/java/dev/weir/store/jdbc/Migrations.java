package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.exception.FlywayValidateException;

/**
 * Creates and updates the tables.
 *
 * <p>A product on the same tables, such as payments, brings its migrations in a folder of its own
 * below the one of the store: {@code db/weir/postgresql/payments}. Flyway finds the folders of all
 * jars and applies their migrations in the order of their numbers, which no two share.
 *
 * <p>A statement of a migration may take hours on a large table, and a connection may be idle as
 * long, so migrations have connections of their own: those of the pool give up after half a minute.
 */
final class Migrations {
  /** Where the migrations that were executed are noted. */
  static final String NOTES = "weir_migration";

  /** Long enough for any statement; a server that is gone is noticed by TCP's keep-alive. */
  private static final Duration MAX_STATEMENT = Duration.ofDays(1);

  /** Versions that were applied from the folder of the store, before products had their own. */
  private static final Set<String> MOVED_TO_PRODUCTS =
      Set.of(
          "5", "6", "6.1", "6.2", "9.1", "9.2", "10.1", "10.2", "11.1", "12.1", "12.3", "12.4",
          "14.1", "15.2", "15.3", "15.5");

  private Migrations() {}

  /**
   * Returns connections for migrations. Those of a data source that is not a pool of {@link
   * PostgresqlPool} or {@link OraclePool} are used as they are.
   */
  static DataSource connections(DataSource database) {
    return database instanceof HikariDataSource pool
            && pool.getDataSource() instanceof RetryingConnector connector
        ? connector.withoutHaste(MAX_STATEMENT)
        : database;
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
        .ignoreMigrationPatterns("*:future", "*:missing")
        .load();
  }

  /**
   * Creates or updates the tables. The caller holds a lock, because Flyway's own comes too late:
   * two nodes may both find no history table and create it.
   */
  static boolean run(Flyway flyway) {
    try {
      refuseUnknown(flyway);
      return flyway.migrate().success;
    } catch (FlywayValidateException e) {
      List<FailedMigration> failed = FailedMigration.of(flyway);
      if (!failed.isEmpty()) {
        return repeat(flyway, failed, e);
      }
      throw refusal(e);
    } catch (FlywayException e) {
      throw new StoreException(StoreException.Outcome.UNKNOWN, text(e), e);
    }
  }

  /**
   * Returns the scripts of the migrations that are known here by their versions, in the order in
   * which they are applied.
   *
   * @throws StoreException if the tables were made by a build that cannot be upgraded to this one
   */
  static Map<String, String> known(Flyway flyway) {
    try {
      refuseUnknown(flyway);
      Map<String, String> scripts = new LinkedHashMap<>();
      for (MigrationInfo migration : flyway.info().all()) {
        if (migration.getState().isResolved()) {
          scripts.put(migration.getVersion().getVersion(), migration.getScript());
        }
      }
      return scripts;
    } catch (FlywayException e) {
      throw new StoreException(StoreException.Outcome.NONE, text(e), e);
    }
  }

  /**
   * Refuses tables with a migration that is not known here and was numbered before one that is,
   * unless it belongs to a product that is not on the class path.
   */
  private static void refuseUnknown(Flyway flyway) {
    List<MigrationInfo> migrations = List.of(flyway.info().all());
    String root = flyway.getConfiguration().getLocations()[0].getRootPath();
    for (MigrationInfo migration : migrations) {
      if (migration.getState() == MigrationState.MISSING_SUCCESS
          && !isOfAbsentProduct(migration, root, migrations)) {
        throw refusal(
            new IllegalStateException(
                "the migration %s is not known".formatted(migration.getScript())));
      }
    }
  }

  /**
   * @param root the folder of the store
   * @param migrations all that the database or this process knows
   */
  private static boolean isOfAbsentProduct(
      MigrationInfo missing, String root, List<MigrationInfo> migrations) {
    String script = missing.getScript();
    int folderEnd = script.lastIndexOf('/') + 1;
    if (folderEnd == 0) {
      return MOVED_TO_PRODUCTS.contains(missing.getVersion().getVersion());
    }
    String folder = root + "/" + script.substring(0, folderEnd);
    return migrations.stream()
        .noneMatch(known -> known.getPhysicalLocation().replace('\\', '/').contains(folder));
  }

  private static StoreException refusal(Exception cause) {
    return new StoreException(
        StoreException.Outcome.NONE,
        "Weir's tables were created by a build that cannot be upgraded to this one;"
            + " use an empty database or data folder",
        cause);
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
