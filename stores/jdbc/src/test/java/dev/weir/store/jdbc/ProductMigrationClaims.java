package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims about the tables of a product beside those of the store, in databases of all ages. */
public interface ProductMigrationClaims {
  String NOTES = "select count(*) from weir_migration";

  /** Returns the folder of its migrations. */
  String product();

  /** Returns the name of one of its tables. */
  String table();

  @Test
  default void databaseOfTheVersionBeforeIsTakenOverAndStillServesThatVersion(@TempDir Path folder)
      throws IOException {
    try (HikariDataSource pool = emptyDatabase()) {
      FormerMigrations former = new FormerMigrations(pool, folder, script -> true);
      former.run(pool);
      long notes = Database.number(pool, NOTES);

      PostgresqlPool.migrate(pool);
      former.run(pool);

      assertThat(rows(pool)).isZero();
      assertThat(Database.number(pool, NOTES)).as("nothing was done").isEqualTo(notes);
    }
  }

  @Test
  default void tablesAreAddedToADatabaseWithoutTheProduct(@TempDir Path folder) throws IOException {
    try (HikariDataSource pool = emptyDatabase()) {
      new FormerMigrations(pool, folder, script -> !script.startsWith(product() + "/")).run(pool);
      assertThatThrownBy(() -> rows(pool)).hasMessageContaining(table());

      PostgresqlPool.migrate(pool);

      assertThat(rows(pool)).isZero();
    }
  }

  @Test
  default void tablesOfAnotherBuildOfTheProductAreRefused() {
    try (HikariDataSource pool = emptyDatabase()) {
      PostgresqlPool.migrate(pool);
      Database.execute(
          pool,
          """
          insert into weir_migration
          select installed_rank + 1, '1.99', 'later', type, '%s/V1.99__later.sql', 7,
                 installed_by, installed_on, execution_time, success
          from weir_migration order by installed_rank desc limit 1
          """
              .formatted(product()));

      assertThatThrownBy(() -> PostgresqlPool.migrate(pool))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("cannot be upgraded");
    }
  }

  private static HikariDataSource emptyDatabase() {
    return Database.openPool(Database.get().createEmpty());
  }

  private long rows(HikariDataSource pool) {
    return Database.number(pool, "select count(*) from " + table());
  }
}
