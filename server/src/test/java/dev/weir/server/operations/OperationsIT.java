package dev.weir.server.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.LogWatch;
import dev.weir.server.slots.node.SlotSetting;
import dev.weir.server.wiring.TestNode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Health, metrics, logs. */
final class OperationsIT {
  private static final String SLOTS = "/api/v1/slots";

  /** The retention of a slot begins at its time. */
  private static final String AHEAD = "2035-01-01T00:00:00Z";

  private static Node node;
  private static Http http;

  @BeforeAll
  static void start() {
    node =
        TestNode.inMemory(
            Map.of(
                SlotSetting.CACHE_TTL, "PT1H",
                SlotSetting.UPKEEP_EVERY, "PT0.02S",
                SlotSetting.LEAK_GRACE, "PT0S",
                SlotSetting.RETENTION, "PT8S"));
    http = new Http(node.address());
    http.post(
        "/admin/rate-limit/config",
        """
        {"configName":"tight","maxPerWindow":1,"windowSize":"PT1S","maxDelay":"PT1S"}
        """);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void isUp() {
    assertThat(http.get("/health/live").ok().text()).isEqualTo("{\"status\":\"UP\"}");
    assertThat(http.get("/health/ready").ok().text()).isEqualTo("{\"status\":\"UP\"}");
  }

  @Test
  void countsWhatHappens() {
    moves(
        "rate_limiter_slot_assignment_duration_seconds_count{outcome=\"assigned\"}",
        () -> at("m1", AHEAD));
    moves(
        "rate_limiter_slot_assignment_duration_seconds_count{outcome=\"replayed\"}",
        () -> at("m1", AHEAD));
    moves(
        "rate_limiter_slot_assignment_duration_seconds_count{outcome=\"refused\"}",
        () -> tight("unknown-x"));
    moves(
        "rate_limiter_slot_assignment_failures_total{reason=\"unknown_config\"}",
        () -> tight("unknown-y"));
    moves("rate_limiter_slot_assignment_failures_total{reason=\"no_capacity\"}", () -> fill("r"));
    moves("rate_limiter_window_lookahead_depth_count", () -> ask("m2"));
    moves("rate_limiter_slot_batch_size_count", () -> ask("m3"));
    moves("rate_limiter_config_cache_hits_total", () -> ask("m4"));
    moves(
        "rate_limiter_config_cache_misses_total",
        () -> {
          http.post("/admin/rate-limit/cache/flush");
          ask("m5");
        });
    // Where no slot is ever confirmed, none is leaked.
    at("confirmed", AHEAD);
    http.post(SLOTS + "/confirmed/confirm").ok();
    // Others follow, because one is removed soon and may be missed.
    AtomicInteger leaked = new AtomicInteger();
    Waiting.until(
        "a leaked slot",
        () -> {
          at("leaked-" + leaked.getAndIncrement(), "2026-01-01T00:00:00Z");
          return read("rate_limiter_slots_leaked") > 0;
        });
    moves("rate_limiter_slots_removed_total", () -> at("old", "1999-01-01T00:00:00Z"));
    Waiting.until("the old slot to be removed", () -> http.get(SLOTS + "/old").status() == 404);
  }

  @Test
  void writesMetricsThatPrometheusReads() {
    Http.Answer answer = http.get("/metrics");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type").orElse("")).startsWith("text/plain; version=0.0.4");
    assertThat(answer.text())
        .contains(
            "# TYPE rate_limiter_slot_assignment_duration_seconds histogram",
            "rate_limiter_slot_assignment_duration_seconds_bucket{outcome=\"assigned\",le=\"0.001\"}",
            "# TYPE rate_limiter_window_contention_total counter",
            "rate_limiter_slot_assignment_failures_total{reason=\"store\"}",
            "rate_limiter_slots_reclaimed_total",
            "jvm_memory_used_bytes");
  }

  @Test
  void logsSlotsAtDebugWithIdAndWindow() {
    try (LogWatch logs = new LogWatch()) {
      at("log-me", "2033-01-01T00:00:01Z");
      at("log-me", "2033-01-01T00:00:01Z");
      assertThat(logs.lines("DEBUG"))
          .anyMatch(
              line ->
                  line.startsWith("DEBUG Slot assigned")
                      && line.contains("eventId=\"log-me\"")
                      && line.contains("configName=\"default\"")
                      && line.contains("windowStart=\"2033-01-01T00:00:00Z\""))
          .anyMatch(
              line ->
                  line.startsWith("DEBUG Slot given again")
                      && line.contains("eventId=\"log-me\"")
                      && line.contains("windowStart=\"2033-01-01T00:00:00Z\""));
      assertThat(logs.lines("INFO")).allMatch(OperationsIT::isAboutUpkeep);
      assertThat(logs.lines("ERROR")).isEmpty();
    }
  }

  @Test
  void logsRefusalsAsErrorsAndWrongRequestsNotAtAll() {
    try (LogWatch logs = new LogWatch()) {
      fill("refused");
      assertThat(logs.lines("ERROR"))
          .isNotEmpty()
          .allMatch(
              line ->
                  line.startsWith("ERROR No free place within maxDelay")
                      && line.contains("eventId=\"refused")
                      && line.contains("configName=\"tight\"")
                      && line.contains("freeTime="));
    }
    try (LogWatch logs = new LogWatch()) {
      http.post(SLOTS, "{");
      http.post(SLOTS, "{\"eventId\":\"\"}");
      http.get(SLOTS + "/missing");
      http.get("/nope");
      tight("unknown-z");
      assertThat(logs.lines("ERROR")).isEmpty();
      assertThat(logs.lines("WARN")).isEmpty();
      assertThat(logs.lines("INFO")).allMatch(OperationsIT::isAboutUpkeep);
    }
  }

  @Test
  void logsConfigurationsOldAndNew() {
    try (LogWatch logs = new LogWatch()) {
      for (int max : new int[] {3, 4}) {
        http.post(
            "/admin/rate-limit/config",
            "{\"configName\":\"logged\",\"maxPerWindow\":%d,\"windowSize\":\"PT1S\"}"
                .formatted(max));
      }
      List<String> changes =
          logs.lines("INFO").stream().filter(line -> !isAboutUpkeep(line)).toList();
      assertThat(changes).hasSize(2);
      assertThat(changes.get(0)).contains("logged", "none → ", "\"maxPerWindow\":3");
      assertThat(changes.get(1))
          .containsSubsequence("\"maxPerWindow\":3", " → ", "\"maxPerWindow\":4");
    }
  }

  /** Upkeep, here every 20 ms, may remove slots of other tests meanwhile. */
  private static boolean isAboutUpkeep(String line) {
    return line.matches("INFO (Removed|Took back) \\d+ .*");
  }

  private static void ask(String eventId) {
    http.post(SLOTS, "{\"eventId\":\"" + eventId + "\"}").ok();
  }

  private static void at(String eventId, String time) {
    http.post(SLOTS, "{\"eventId\":\"%s\",\"requestedTime\":\"%s\"}".formatted(eventId, time)).ok();
  }

  private static void tight(String config) {
    http.post(SLOTS, "{\"eventId\":\"t\",\"configName\":\"%s\"}".formatted(config))
        .problem(404, "unknown-config");
  }

  /** Requests slots until no place is free. */
  private static void fill(String prefix) {
    int status = 200;
    for (int i = 0; status == 200; i++) {
      assertThat(i).isLessThan(100);
      status =
          http.post(
                  SLOTS,
                  """
                  {"eventId":"%s%d","configName":"tight","requestedTime":"2034-01-01T00:00:00Z"}
                  """
                      .formatted(prefix, i))
              .status();
    }
    assertThat(status).isEqualTo(503);
  }

  /** Some metrics move with the upkeep, which comes round by itself. */
  private static void moves(String metric, Runnable action) {
    double before = read(metric);
    action.run();
    Waiting.until(metric, () -> read(metric) > before);
  }

  private static double read(String metric) {
    return http.get("/metrics")
        .text()
        .lines()
        .filter(line -> line.startsWith(metric + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(metric.length() + 1)))
        .findFirst()
        .orElse(0);
  }
}
