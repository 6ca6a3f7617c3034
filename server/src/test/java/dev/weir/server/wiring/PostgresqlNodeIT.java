package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.lifecycle.StopSignal;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.Database;
import dev.weir.node.stores.DatabaseSettings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.LockWait;
import dev.weir.server.faults.Ports;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.slots.node.SlotSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes on one PostgreSQL. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class PostgresqlNodeIT {
  private static final String SLOTS = "/api/v1/slots";

  @TempDir private static Path folder;
  private static EmbeddedDatabase database;
  private static Node one;
  private static Node other;
  private static Http http;
  private static Http elsewhere;

  @BeforeAll
  static void start() {
    database = EmbeddedDatabase.start(folder);
    one = Node.start(settings(Map.of()));
    other = Node.start(settings(Map.of()));
    http = new Http(one.address());
    elsewhere = new Http(other.address());
  }

  @AfterAll
  static void stop() {
    one.close();
    other.close();
    database.close();
  }

  @Test
  void giveTheSameSlotAndKnowWhatBecameOfIt() {
    String body = "{\"eventId\":\"shared\",\"requestedTime\":\"2030-01-01T00:00:00Z\"}";
    Http.Answer given = http.post(SLOTS, body).ok();
    Http.Answer again = elsewhere.post(SLOTS, body).ok();
    assertThat(again.at("replayed")).isEqualTo(true);
    assertThat(again.textAt("scheduledTime")).isEqualTo(given.textAt("scheduledTime"));
    elsewhere.post(SLOTS + "/shared/confirm").ok();
    http.delete(SLOTS + "/shared").problem(409, "state-conflict");
    assertThat(http.get(SLOTS + "/shared").ok().textAt("state")).isEqualTo("confirmed");
  }

  @Test
  void fillWindowsTogetherAndNotOneEventTooFull() throws Exception {
    configure(http, "together", 5, "PT1S");
    List<Future<Http.Answer>> answers = new ArrayList<>();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        Http node = i % 2 == 0 ? http : elsewhere;
        // Each event twice, on either node.
        String body =
            "{\"eventId\":\"t%d\",\"configName\":\"together\",\"requestedTime\":\"2030-01-01T00:00:00Z\"}"
                .formatted(i / 2);
        answers.add(
            clients.submit(
                () ->
                    LockWait.answer(
                        () -> node.post(SLOTS, body),
                        answer -> LockWait.isUnavailable(answer.text()))));
      }
    }
    Map<String, Set<String>> eventsByWindow = new HashMap<>();
    Map<String, String> timeByEvent = new HashMap<>();
    for (Future<Http.Answer> answer : answers) {
      Http.Answer slot = answer.get().ok();
      String event = slot.textAt("eventId");
      String before = timeByEvent.put(event, slot.textAt("scheduledTime"));
      assertThat(before).isIn(null, slot.textAt("scheduledTime"));
      eventsByWindow.computeIfAbsent(slot.textAt("windowStart"), any -> new HashSet<>()).add(event);
    }
    assertThat(eventsByWindow).hasSize(20);
    assertThat(eventsByWindow.values()).allMatch(events -> events.size() == 5);
    assertThat(timeByEvent.values()).doesNotHaveDuplicates();
    assertThat(
            http.get(SLOTS + "/windows?configName=together&from=2030-01-01T00:00:00Z")
                .ok()
                .listAt("windows"))
        .hasSize(20);
    // The first node writes again after the other one, so what it has cached is outdated.
    for (int i = 0; i < 3; i++) {
      Http node = i % 2 == 0 ? http : elsewhere;
      String body =
          "{\"eventId\":\"in-turn-%d\",\"configName\":\"together\",\"requestedTime\":\"2030-01-01T00:00:00Z\"}"
              .formatted(i);
      node.post(SLOTS, body).ok();
    }
    String metric = "rate_limiter_window_contention_total";
    assertThat(read(http, metric) + read(elsewhere, metric)).isPositive();
  }

  @Test
  void hearOfConfigurationsAtOnce() {
    configure(http, "heard", 1, "PT1S");
    // A forecast is calculated with the configuration that the node has cached.
    String query = SLOTS + "/forecast?configName=heard&events=10&from=2030-01-01T00:00:00Z";
    String slow = elsewhere.get(query).ok().textAt("windowStart");
    configure(http, "heard", 2, "PT1S");
    // The cache would hold the old one for an hour.
    assertThat(http.get(query).ok().textAt("windowStart")).isLessThan(slow);
    Waiting.until(
        "the new version",
        () -> elsewhere.get(query).ok().textAt("windowStart").compareTo(slow) < 0);
    double misses = read(elsewhere, "rate_limiter_config_cache_misses_total");
    assertThat(http.post("/admin/rate-limit/cache/flush").status()).isEqualTo(204);
    Waiting.until(
        "an empty cache",
        () -> {
          elsewhere.get(query).ok();
          return read(elsewhere, "rate_limiter_config_cache_misses_total") > misses;
        });
  }

  @Test
  void keepIdsToTheLetterAndRefuseTheRest() {
    for (String id :
        List.of(
            "ü😀",
            "it's",
            "back\\\\slash",
            "'; drop table slot; --",
            "\\u0001\\u007f",
            "{}",
            "a,b",
            "\\\"q\\\"",
            "\\ufeff",
            "NULL",
            "x".repeat(256))) {
      Http.Answer given = http.post(SLOTS, "{\"eventId\":\"" + id + "\"}").ok();
      assertThat(elsewhere.post(SLOTS, "{\"eventId\":\"" + id + "\"}").ok().at("replayed"))
          .as(id)
          .isEqualTo(true);
      assertThat(given.textAt("eventId"))
          .isEqualTo(
              elsewhere
                  .get(SLOTS + "/" + Http.encoded(given.textAt("eventId")))
                  .ok()
                  .textAt("eventId"));
    }
    http.post(SLOTS, "{\"eventId\":\"a\\u0000\"}").wrong("eventId");
    http.get(SLOTS + "?configName=%00").wrong("configName");
    http.get(SLOTS + "?eventId=%00").wrong("eventId");
    http.get("/admin/rate-limit/config?name=%00").wrong("name");
    for (String time : List.of("0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z")) {
      String body = "{\"eventId\":\"at-%1$s\",\"requestedTime\":\"%1$s\"}".formatted(time);
      assertThat(http.post(SLOTS, body).ok().textAt("scheduledTime")).isEqualTo(time);
      http.get(SLOTS + "/windows?from=" + time).ok();
      http.get(SLOTS + "/forecast?events=1000&from=" + time).ok();
    }
  }

  @Test
  void listPageByPage() {
    configure(http, "listed", 10, "PT1S");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 57; i++) {
      lines.append(
          "{\"eventId\":\"l%02d\",\"configName\":\"listed\",\"requestedTime\":\"2030-01-01T00:00:00Z\"}\n"
              .formatted(i));
    }
    assertThat(http.lines(lines.toString()).text().lines()).hasSize(57);
    // Who gets a place that was given back has the same time as who gave it back.
    http.delete(SLOTS + "/l10");
    http.post(
        SLOTS,
        "{\"eventId\":\"again\",\"configName\":\"listed\",\"requestedTime\":\"2030-01-01T00:00:00Z\"}");
    List<Object> seen = new ArrayList<>();
    String cursor = "";
    do {
      Http.Answer page = elsewhere.get(SLOTS + "?configName=listed&limit=1" + cursor).ok();
      page.listAt("slots").forEach(slot -> seen.add(((Map<?, ?>) slot).get("eventId")));
      cursor = page.at("next") == null ? "" : "&cursor=" + page.textAt("next");
    } while (!cursor.isEmpty());
    assertThat(seen).hasSize(58).doesNotHaveDuplicates().contains("l10", "again");
  }

  @Test
  void refuseToStartOnADatabaseThatDoesNotLetThemIn() {
    Map<Setting, String> wrong =
        Map.of(StoreSetting.DB_PASSWORD, "hunter2", StoreSetting.DB_WAIT, "PT1S");
    assertThatThrownBy(() -> Node.start(settings(wrong)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("weir.db.url leads to no database that can be used: ")
        .hasMessageContaining("password authentication failed")
        .message()
        .hasLineCount(1)
        .doesNotContain("hunter2");
    String noTables = database.jdbcUrl() + "?currentSchema=nowhere";
    assertThatThrownBy(
            () ->
                Node.start(
                    settings(
                        Map.of(StoreSetting.DB_URL, noTables, StoreSetting.DB_MIGRATE, "false"))))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("weir.db.url leads to no database that can be used: ")
        .message()
        .hasLineCount(1);
  }

  @Test
  void waitForALostDatabaseAndGoOn() throws IOException {
    Path data = Files.createDirectories(folder.resolve("lost"));
    // No caller is given this port while the database is stopped.
    Files.writeString(data.resolve("port"), Integer.toString(Ports.free()));
    EmbeddedDatabase lost = EmbeddedDatabase.start(data);
    Map<Setting, String> address =
        Map.of(StoreSetting.DB_URL, lost.jdbcUrl(), StoreSetting.DB_PASSWORD, lost.password());
    Database.open(DatabaseSettings.of(settings(address)).orElseThrow(), StopSignal.NEVER).close();
    Map<Setting, String> hasty = new HashMap<>(address);
    hasty.put(StoreSetting.DB_MIGRATE, "false");
    hasty.put(StoreSetting.DB_WAIT, "PT3S");
    try (Node node = TestNode.impatient(settings(hasty))) {
      Http lonely = new Http(node.address());
      String scheduled =
          decided(() -> lonely.post(SLOTS, "{\"eventId\":\"kept\"}")).ok().textAt("scheduledTime");
      lost.close();
      Http.Answer ready = lonely.get("/health/ready");
      assertThat(ready.status()).isEqualTo(503);
      assertThat(ready.textAt("status")).isEqualTo("DOWN");
      assertThat(ready.textAt("reason")).isEqualTo("the database does not answer");
      lonely.get("/health/live").ok();
      double failures =
          read(lonely, "rate_limiter_slot_assignment_failures_total{reason=\"store\"}");
      Http.Answer refused =
          lonely.post(SLOTS, "{\"eventId\":\"lost\"}").problem(503, "store-unavailable");
      assertThat(refused.text()).doesNotContain("127.0.0.1", "SQL", "Hikari");
      assertThat(read(lonely, "rate_limiter_slot_assignment_failures_total{reason=\"store\"}"))
          .isGreaterThan(failures);
      try (EmbeddedDatabase back = EmbeddedDatabase.start(data)) {
        assertThat(back.jdbcUrl()).isEqualTo(lost.jdbcUrl());
        Waiting.until("the node", () -> lonely.get("/health/ready").status() == 200);
        decided(() -> lonely.get(SLOTS + "/lost")).problem(404, "unknown-event");
        Http.Answer again = decided(() -> lonely.post(SLOTS, "{\"eventId\":\"kept\"}")).ok();
        assertThat(again.textAt("scheduledTime")).isEqualTo(scheduled);
        assertThat(again.at("replayed")).isEqualTo(true);
      }
    }
  }

  /** Repeats a request while a node has given up its database too soon for a busy machine. */
  private static Http.Answer decided(Supplier<Http.Answer> request) {
    Http.Answer answer = request.get();
    while (answer.status() == 503) {
      answer = request.get();
    }
    return answer;
  }

  private static Settings settings(Map<Setting, String> more) {
    Map<Setting, String> given =
        new HashMap<>(
            Map.of(
                ServerSetting.PORT, "0",
                StoreSetting.DB_URL, database.jdbcUrl(),
                StoreSetting.DB_USER, database.user(),
                StoreSetting.DB_PASSWORD, database.password(),
                // As long as nobody waits on however busy a machine, unless the database is lost.
                StoreSetting.DB_WAIT, "PT1M",
                ServerSetting.DRAIN, "PT0S",
                StoreSetting.DB_POOL_MIN, "1",
                SlotSetting.CACHE_TTL, "PT1H"));
    given.putAll(more);
    return Capabilities.read(given, Map.of(), Optional.empty());
  }

  private static void configure(Http node, String name, int max, String window) {
    String body =
        "{\"configName\":\"%s\",\"maxPerWindow\":%d,\"windowSize\":\"%s\"}"
            .formatted(name, max, window);
    assertThat(node.post("/admin/rate-limit/config", body).status()).isEqualTo(201);
  }

  private static double read(Http node, String metric) {
    return node.get("/metrics")
        .text()
        .lines()
        .filter(line -> line.startsWith(metric + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(metric.length() + 1)))
        .findFirst()
        .orElse(0);
  }
}
