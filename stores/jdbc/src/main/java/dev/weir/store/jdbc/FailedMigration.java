package dev.weir.store.jdbc;

import dev.weir.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationState;

/**
 * A migration that was begun and not completed, or completed without a note of that.
 *
 * @param script the name of its file
 * @param objects what it creates, in the order in which it can be dropped: {@code table X}, {@code
 *     view X}, {@code index X} and {@code column X.Y}
 * @param dropped the indexes that it drops
 */
record FailedMigration(String script, List<String> objects, List<String> dropped) {
  /** An index of a table that the same migration creates is dropped along with the table. */
  private static final Pattern CREATE =
      Pattern.compile(
          "(?m)^create\\s+(?:unique\\s+)?(?<kind>table|view|index)\\s+(?<name>\\w+)"
              + "(?:\\s+on\\s+(?<of>\\w+))?"
              + "|^alter\\s+table\\s+(?<table>\\w+)\\s+add\\s*\\(\\s*(?<column>\\w+)");

  private static final Pattern DROP = Pattern.compile("(?m)^drop\\s+index\\s+(\\w+)");

  /** Of tables and views; the standard's name of a table is the longer one. */
  private static final String[] TYPES = {"TABLE", "BASE TABLE", "VIEW"};

  /** Returns the migrations that the database has notes of as failed. */
  static List<FailedMigration> of(Flyway flyway) {
    String folder = flyway.getConfiguration().getLocations()[0].getRootPath();
    return Arrays.stream(flyway.info().all())
        .filter(migration -> migration.getState() == MigrationState.FAILED)
        .map(migration -> read(folder, migration.getScript()))
        .toList();
  }

  private static FailedMigration read(String folder, String script) {
    String resource = "/" + folder + "/" + script;
    try (InputStream file = FailedMigration.class.getResourceAsStream(resource)) {
      // A migration of another build is not known here.
      String text = file == null ? "" : new String(file.readAllBytes(), StandardCharsets.UTF_8);
      List<MatchResult> created = CREATE.matcher(text).results().toList();
      return new FailedMigration(
          script,
          created.stream()
              .filter(object -> created.stream().noneMatch(other -> isOf(object, other)))
              .map(FailedMigration::object)
              .toList()
              .reversed(),
          DROP.matcher(text).results().map(drop -> drop.group(1)).toList());
    } catch (IOException e) {
      throw new IllegalStateException("cannot read " + resource, e);
    }
  }

  private static boolean isOf(MatchResult index, MatchResult table) {
    return "index".equals(index.group("kind"))
        && Objects.equals(index.group("of"), table.group("name"));
  }

  private static String object(MatchResult found) {
    return found.group("kind") == null
        ? "column " + found.group("table") + "." + found.group("column")
        : found.group("kind") + " " + found.group("name");
  }

  /**
   * Returns what a person has to do before the migration can be repeated; empty if nothing. The
   * statements of a migration would fail otherwise, because they create what exists or drop what
   * does not.
   */
  String repair(DataSource database) {
    Set<String> existing = existing(database);
    List<String> left = objects.stream().filter(existing::contains).toList();
    if (!left.isEmpty()) {
      return "drop what it has created and start again: " + String.join(", ", left);
    }
    List<String> missing =
        dropped.stream().map("index "::concat).filter(index -> !existing.contains(index)).toList();
    return missing.isEmpty()
        ? ""
        : "create what it drops, with any column, and start again: " + String.join(", ", missing);
  }

  /** Returns the tables, views, indexes and columns that there are. */
  private static Set<String> existing(DataSource database) {
    try (Connection connection = database.getConnection()) {
      DatabaseMetaData about = connection.getMetaData();
      String schema = connection.getSchema();
      Set<String> tables = new HashSet<>();
      Set<String> existing = new HashSet<>();
      try (ResultSet rows = about.getTables(null, schema, "%", TYPES)) {
        while (rows.next()) {
          boolean isView = rows.getString("TABLE_TYPE").equals("VIEW");
          String name = rows.getString("TABLE_NAME");
          existing.add((isView ? "view " : "table ") + name.toLowerCase(Locale.ROOT));
          if (!isView && !name.equals(Migrations.NOTES)) {
            tables.add(name);
          }
        }
      }
      try (ResultSet rows = about.getColumns(null, schema, "%", "%")) {
        while (rows.next()) {
          String column = rows.getString("TABLE_NAME") + "." + rows.getString("COLUMN_NAME");
          existing.add("column " + column.toLowerCase(Locale.ROOT));
        }
      }
      for (String table : tables) {
        // Approximate numbers of rows suffice: exact ones would make Oracle analyze the table.
        try (ResultSet rows = about.getIndexInfo(null, schema, table, false, true)) {
          while (rows.next()) {
            existing.add(
                "index " + String.valueOf(rows.getString("INDEX_NAME")).toLowerCase(Locale.ROOT));
          }
        }
      }
      return existing;
    } catch (SQLException e) {
      throw new StoreException(
          StoreException.Outcome.NONE, "the database failed: " + e.getMessage(), e);
    }
  }
}
