package dev.weir.store.jdbc;

import dev.weir.engine.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationState;

/**
 * A migration that was begun and not completed.
 *
 * @param script the name of its file
 * @param objects the tables and views that it creates, in the order in which they can be dropped
 */
record FailedMigration(String script, List<String> objects) {
  private static final Pattern CREATE = Pattern.compile("(?m)^create (?:table|view) (\\w+)");

  /** Of tables and views; the standard's name of a table is the longer one. */
  private static final String[] TYPES = {"TABLE", "BASE TABLE", "VIEW"};

  /** Returns the migrations that the database has notes of as failed. */
  static List<FailedMigration> of(Flyway flyway) {
    String folder = flyway.getConfiguration().getLocations()[0].getRootPath();
    return Arrays.stream(flyway.info().all())
        .filter(migration -> migration.getState() == MigrationState.FAILED)
        .map(
            migration ->
                new FailedMigration(
                    migration.getScript(), created(folder + "/" + migration.getScript())))
        .toList();
  }

  private static List<String> created(String resource) {
    try (InputStream file = FailedMigration.class.getResourceAsStream("/" + resource)) {
      // A migration of another build is not known here.
      return file == null
          ? List.of()
          : CREATE
              .matcher(new String(file.readAllBytes(), StandardCharsets.UTF_8))
              .results()
              .map(MatchResult::group)
              .map(create -> create.substring("create ".length()))
              .toList()
              .reversed();
    } catch (IOException e) {
      throw new IllegalStateException("cannot read " + resource, e);
    }
  }

  /** Returns the tables and views that are still there. */
  List<String> left(DataSource database) {
    try (Connection connection = database.getConnection();
        ResultSet rows =
            connection.getMetaData().getTables(null, connection.getSchema(), "%", TYPES)) {
      Set<String> existing = new HashSet<>();
      while (rows.next()) {
        existing.add(rows.getString("TABLE_NAME").toLowerCase(Locale.ROOT));
      }
      return objects.stream()
          .filter(object -> existing.contains(object.substring(object.indexOf(' ') + 1)))
          .toList();
    } catch (SQLException e) {
      throw new StoreException(
          StoreException.Outcome.NONE, "the database failed: " + e.getMessage(), e);
    }
  }
}
