package dev.weir.store.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.flywaydb.core.api.MigrationInfo;

/** The migrations as they were before products had folders of their own: all in one. */
public final class FormerMigrations {
  private static final String FOLDER = "db/weir/postgresql";

  private final Path folder;

  /**
   * Copies the migrations on the class path.
   *
   * @param empty a database without tables
   * @param folder where to
   * @param chosen which of them, by their files below the folder of the store
   */
  public FormerMigrations(DataSource empty, Path folder, Predicate<String> chosen)
      throws IOException {
    this.folder = folder;
    for (MigrationInfo migration : Migrations.flyway(empty, "classpath:" + FOLDER).info().all()) {
      String script = migration.getScript();
      if (chosen.test(script)) {
        String name = script.substring(script.lastIndexOf('/') + 1);
        try (InputStream file =
            FormerMigrations.class.getResourceAsStream("/" + FOLDER + "/" + script)) {
          Files.copy(Objects.requireNonNull(file, script), folder.resolve(name));
        }
      }
    }
  }

  /** Does what a node of that version does when it starts. */
  public void run(DataSource database) {
    Migrations.run(Migrations.flyway(database, "filesystem:" + folder));
  }
}
