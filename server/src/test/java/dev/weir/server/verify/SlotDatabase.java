package dev.weir.server.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Api;
import dev.weir.server.faults.PreparedDatabase;
import dev.weir.server.faults.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A database with slots of every kind of configuration, assigned by a real node, and a journal of
 * the answers.
 */
final class SlotDatabase implements AutoCloseable {
  private static final List<String> CONFIGS =
      List.of("plain", "dice", "hours", "now", "changed", "ended", "raised");

  /** What the verifier reads. */
  private static final List<String> TABLES =
      List.of(
          "slot", "slot_config", "slot_config_version", "slot_window", "full_run", "counted_span");

  static final int SLOTS = 7 * 35 + 2 * 35 + 5 + 15 + 3;

  private final AtomicInteger copies = new AtomicInteger();
  private final EmbeddedDatabase postgresql;
  private final Path journal;

  private SlotDatabase(EmbeddedDatabase postgresql, Path journal) {
    this.postgresql = postgresql;
    this.journal = journal;
  }

  static SlotDatabase create(Path folder) throws IOException, InterruptedException {
    SlotDatabase database =
        new SlotDatabase(
            PreparedDatabase.start(folder.resolve("data")), folder.resolve("answers.ndjson"));
    database.assignSlots();
    return database;
  }

  private void assignSlots() throws IOException, InterruptedException {
    try (Node node = node(postgresql.jdbcUrl());
        Api api = new Api(node.address())) {
      api.configure("{'configName':'plain','maxPerWindow':10,'windowSize':'PT1S'}");
      api.configure(
          "{'configName':'dice','maxPerWindow':10,'windowSize':'PT1S','spread':'random'}");
      api.configure(
          ("{'configName':'hours','maxPerWindow':10,'windowSize':'PT1M','calendar':"
              + "{'timeZone':'Europe/Berlin','hours':{'monday':['09:00-09:03'],"
              + "'tuesday':['10:00-10:02']},'closedDates':[]}}"));
      api.configure(
          ("{'configName':'now','maxPerWindow':10,'windowSize':'PT1S','notBefore':'now',"
              + "'maxDelay':'PT24H'}"));
      api.configure("{'configName':'changed','maxPerWindow':10,'windowSize':'PT4S'}");
      api.configure("{'configName':'ended','maxPerWindow':10,'windowSize':'PT1S'}");
      api.configure("{'configName':'raised','maxPerWindow':10,'windowSize':'PT1S'}");
      Files.writeString(journal, "");
      for (String config : CONFIGS) {
        ask(api, config, "a", 35);
      }
      api.configure("{'configName':'raised','maxPerWindow':20,'windowSize':'PT1S'}");
      ask(api, "raised", "b", 35);
      api.configure("{'configName':'changed','maxPerWindow':7,'windowSize':'PT3S'}");
      ask(api, "changed", "b", 35);
      assertThat(api.delete("/api/v1/slots/ended-a3").statusCode()).isEqualTo(204);
      assertThat(api.delete("/api/v1/slots/ended-a17").statusCode()).isEqualTo(204);
      ask(api, "ended", "b", 5);
      api.configure("{'configName':'past','maxPerWindow':10,'windowSize':'PT1S'}");
      ask(api, "past", "a", 15, "2020-06-03T06:59:50.%02dZ");
      api.configure("{'configName':'past','maxPerWindow':12,'windowSize':'PT1S'}");
      ask(api, "past", "b", 3, "2020-06-03T06:59:50.%02dZ");
    }
  }

  /** Starts a node on this database or a copy of it. */
  Node node(String url) {
    Map<Setting, String> settings =
        Map.of(
            ServerSetting.PORT,
            "0",
            ServerSetting.DRAIN,
            "PT0S",
            StoreSetting.DB_URL,
            url,
            StoreSetting.DB_USER,
            postgresql.user(),
            StoreSetting.DB_PASSWORD,
            postgresql.password(),
            StoreSetting.DB_WAIT,
            "PT1M");
    return Node.start(Capabilities.read(settings, Map.of(), Optional.empty()));
  }

  private void ask(Api api, String config, String series, int events)
      throws IOException, InterruptedException {
    ask(api, config, series, events, "2030-06-03T06:59:50.%02dZ");
  }

  /** One after the other, so that each run gives the same places to the same events. */
  private void ask(Api api, String config, String series, int events, String times)
      throws IOException, InterruptedException {
    for (int i = 0; i < events; i++) {
      String line =
          "{\"eventId\":\"%s-%s%d\",\"configName\":\"%s\",\"requestedTime\":\"%s\"}\n"
              .formatted(config, series, i, config, times.formatted(i));
      Files.writeString(journal, api.lines(line).body(), StandardOpenOption.APPEND);
    }
  }

  Path journal() {
    return journal;
  }

  /**
   * Connects to the rows that the verifier reads, as they were created. What the connection does to
   * them is done to a copy without keys, in temporary tables.
   */
  Connection connectToCopiedRows() throws SQLException {
    Connection connection = connect(postgresql.jdbcUrl());
    try (Statement statement = connection.createStatement()) {
      for (String table : TABLES) {
        statement.addBatch("create temporary table %s as table public.%1$s".formatted(table));
      }
      int[] unused = statement.executeBatch();
    }
    return connection;
  }

  /** Copies the database as it was created, for a node; returns the URL of the copy. */
  String copy() throws SQLException {
    String name = "copy" + copies.incrementAndGet();
    try (Connection connection =
            connect(postgresql.jdbcUrl().replaceFirst("/postgres$", "/template1"));
        Statement statement = connection.createStatement()) {
      Waiting.until("the end of all sessions of the original", () -> isUnused(statement));
      statement.execute("create database " + name + " template postgres strategy file_copy");
    }
    return postgresql.jdbcUrl().replaceFirst("/postgres$", "/" + name);
  }

  /** Sessions end a moment after their connections, and PostgreSQL copies only without any. */
  private static boolean isUnused(Statement statement) throws IOException {
    try (ResultSet sessions =
        statement.executeQuery(
            "select 1 from pg_stat_activity where datname = 'postgres'"
                + " and backend_type = 'client backend'")) {
      return !sessions.next();
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(url, postgresql.user(), postgresql.password());
  }

  @Override
  public void close() {
    postgresql.close();
  }
}
