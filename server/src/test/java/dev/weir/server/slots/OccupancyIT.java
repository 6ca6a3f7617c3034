package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The windows ahead in cells, as they are and as they would be. */
final class OccupancyIT {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  private static final String WHAT_IF = "/api/v1/dashboard/what-if";

  private static TestNode.Served node;
  private static Http http;

  @BeforeAll
  static void start() {
    node = TestNode.onClock(() -> NOW);
    http = new Http(node.address());
    configure("bank", "\"maxPerWindow\":10,\"windowSize\":\"PT1S\"");
    assign("bank", 35);
    configure(
        "office",
        "\"maxPerWindow\":6,\"windowSize\":\"PT10M\","
            + "\"calendar\":{\"timeZone\":\"UTC\",\"hours\":{\"monday\":[\"12:30-13:00\"]}}");
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void aCellIsAWindowWhereThereIsRoom() {
    Http.Answer strip = strip("bank", "2026-06-01T12:00:00Z", "2026-06-01T12:00:06Z", 10);
    assertThat(strip.textAt("from")).isEqualTo("2026-06-01T12:00:00Z");
    assertThat(strip.textAt("to")).isEqualTo("2026-06-01T12:00:06Z");
    assertThat(strip.textAt("now")).isEqualTo("2026-06-01T12:00:00Z");
    assertThat(strip.intAt("cellSecs")).isEqualTo(1);
    assertThat(strip.intAt("windowsPerCell")).isEqualTo(1);
    assertThat(strip.intAt("maxPerWindow")).isEqualTo(10);
    assertThat(strip.intAt("configVersion")).isEqualTo(1);
    assertThat(numbers(strip, "taken")).containsExactly(10, 10, 10, 5, 0, 0);
    assertThat(numbers(strip, "capacity")).containsExactly(10, 10, 10, 10, 10, 10);
    assertThat(numbers(strip, "fullest")).containsExactly(10, 10, 10, 5, 0, 0);
    assertThat(strip.textAt("completeUntil")).isEqualTo("2026-06-01T12:00:06Z");
  }

  @Test
  void aCellIsSeveralWindowsFromFarAway() {
    Http.Answer strip = strip("bank", "2026-06-01T12:00:00Z", "2026-06-01T12:00:07Z", 3);
    assertThat(strip.intAt("cellSecs")).isEqualTo(3);
    assertThat(strip.intAt("windowsPerCell")).isEqualTo(3);
    assertThat(numbers(strip, "taken")).containsExactly(30, 5, 0);
    assertThat(numbers(strip, "capacity")).containsExactly(30, 30, 30);
    assertThat(numbers(strip, "fullest")).containsExactly(10, 5, 0);
  }

  @Test
  void closedTimesHaveNoCapacity() {
    Http.Answer strip = strip("office", "2026-06-01T12:00:00Z", "2026-06-01T13:30:00Z", 9);
    assertThat(numbers(strip, "capacity")).containsExactly(0, 0, 0, 6, 6, 6, 0, 0, 0);
  }

  @Test
  void theNextHourIsTheDefault() {
    Http.Answer strip = http.get("/api/v1/dashboard/strip?configName=bank").ok();
    assertThat(strip.textAt("from")).isEqualTo("2026-06-01T12:00:00Z");
    assertThat(strip.textAt("to")).isEqualTo("2026-06-01T13:00:00Z");
    assertThat(numbers(strip, "taken")).hasSize(240).startsWith(35, 0);
  }

  @Test
  void refusesWrongSpans() {
    String path = "/api/v1/dashboard/strip?configName=bank&from=2026-06-01T12:00:00Z&to=";
    http.get(path + "2026-06-01T12:00:00Z").wrong("to");
    http.get(path + "2028-06-01T12:00:00Z").wrong("to");
    http.get("/api/v1/dashboard/strip?cells=1001").wrong("cells");
    http.get("/api/v1/dashboard/strip?configName=nowhere").problem(404, "unknown-config");
  }

  @Test
  void twiceTheLimitEndsInHalfTheTime() {
    Http.Answer answer =
        http.post(
                WHAT_IF,
                """
                {"configName":"bank","cells":6,"to":"2026-06-01T12:00:06Z",
                 "policy":{"maxPerWindow":20,"windowSize":"PT1S"}}
                """)
            .ok();
    assertThat(answer.intAt("backlog")).isEqualTo(35);
    assertThat(answer.at("complete")).isEqualTo(true);
    assertThat(answer.intAt("peakPerSecond")).isEqualTo(20);
    assertThat(answer.textAt("current.endsAt")).isEqualTo("2026-06-01T12:00:04Z");
    assertThat(answer.textAt("changed.endsAt")).isEqualTo("2026-06-01T12:00:02Z");
    assertThat(numbers(answer, "current.taken")).containsExactly(10, 10, 10, 5, 0, 0);
    assertThat(numbers(answer, "changed.taken")).containsExactly(20, 15, 0, 0, 0, 0);
    assertThat(numbers(answer, "changed.capacity")).containsExactly(20, 20, 20, 20, 20, 20);
    assertThat(http.get("/admin/rate-limit/config?name=bank").ok().intAt("version")).isEqualTo(1);
  }

  /** What is placed stays where it is, also above a limit that was lowered since. */
  @Test
  void theCurrentCourseIsTheRealOne() {
    configure("lowered", "\"maxPerWindow\":10,\"windowSize\":\"PT1S\"");
    assign("lowered", 35);
    configure("lowered", "\"maxPerWindow\":5,\"windowSize\":\"PT1S\"");
    Http.Answer answer =
        http.post(
                WHAT_IF,
                """
                {"configName":"lowered","cells":8,"to":"2026-06-01T12:00:08Z",
                 "policy":{"maxPerWindow":5,"windowSize":"PT1S"}}
                """)
            .ok();
    assertThat(answer.textAt("current.endsAt")).isEqualTo("2026-06-01T12:00:04Z");
    assertThat(numbers(answer, "current.taken")).containsExactly(10, 10, 10, 5, 0, 0, 0, 0);
    assertThat(answer.textAt("changed.endsAt")).isEqualTo("2026-06-01T12:00:07Z");

    Http.Answer more =
        http.post(
                WHAT_IF,
                """
                {"configName":"lowered","cells":8,"to":"2026-06-01T12:00:08Z","moreEvents":7,
                 "policy":{"maxPerWindow":5,"windowSize":"PT1S"}}
                """)
            .ok();
    assertThat(more.textAt("current.endsAt")).isEqualTo("2026-06-01T12:00:06Z");
    assertThat(numbers(more, "current.taken")).containsExactly(10, 10, 10, 5, 5, 2, 0, 0);
  }

  @Test
  void aBacklogBeyondTheForecastIsNotComplete() {
    configure("far", "\"maxPerWindow\":10,\"windowSize\":\"PT1S\"");
    http.post(
            "/api/v1/slots/batch",
            """
            [{"eventId":"far-1","configName":"far","requestedTime":"2028-01-01T00:00:00Z"}]
            """)
        .ok();
    Http.Answer answer =
        http.post(
                WHAT_IF,
                """
                {"configName":"far","policy":{"maxPerWindow":1,"windowSize":"PT1S"}}
                """)
            .ok();
    assertThat(answer.at("complete")).isEqualTo(false);
  }

  @Test
  void furtherEventsAndLongerWindows() {
    Http.Answer answer =
        http.post(
                WHAT_IF,
                """
                {"configName":"bank","moreEvents":100,
                 "policy":{"maxPerWindow":50,"windowSizeSecs":2,"maxDelay":"PT3S"}}
                """)
            .ok();
    assertThat(answer.textAt("current.endsAt")).isEqualTo("2026-06-01T12:00:14Z");
    assertThat(answer.intAt("current.unplaced")).isZero();
    // Two windows, and the place right at the end of three seconds is in the second.
    assertThat(answer.textAt("changed.endsAt")).isEqualTo("2026-06-01T12:00:04Z");
    assertThat(answer.intAt("changed.unplaced")).isPositive();
    assertThat(answer.intAt("cellSecs")).isGreaterThanOrEqualTo(2);
  }

  @Test
  void aNewConfigurationHasNoBacklog() {
    Http.Answer answer =
        http.post(
                WHAT_IF,
                """
                {"configName":"new","policy":{"maxPerWindow":1,"windowSize":"PT1S"}}
                """)
            .ok();
    assertThat(answer.intAt("configVersion")).isZero();
    assertThat(answer.intAt("backlog")).isZero();
    assertThat(answer.at("current")).isNull();
    assertThat(answer.at("changed.endsAt")).isNull();
  }

  @Test
  void namesEveryWrongField() {
    http.post(
            WHAT_IF,
            """
            {"policy":{"maxPerWindow":0,"windowSize":"PT1S","spreed":"even",
                       "calendar":{"timeZone":"UTC","hours":{"monday":["9-5"]}}},"more":1}
            """)
        .wrong("policy.maxPerWindow", "policy.spreed", "policy.calendar.hours.monday", "more");
    http.post(WHAT_IF, "{}").wrong("policy");
    http.post(
            WHAT_IF,
            """
            {"policy":{"maxPerWindow":1,"windowSize":"PT1H",
                       "calendar":{"timeZone":"UTC","hours":{"monday":["09:10-09:20"]}}}}
            """)
        .wrong("policy.calendar");
  }

  @Test
  void leakedSlotsAreTakenBack() {
    http.post("/api/v1/dashboard/reclaim", "{\"olderThan\":\"-PT1S\",\"max\":0}")
        .wrong("olderThan", "max");
    Http.Answer tooSoon = http.post("/api/v1/dashboard/reclaim", "{\"olderThan\":\"PT0S\"}");
    tooSoon.wrong("olderThan");
    assertThat(tooSoon.text()).contains("must be at least PT5M");
    AtomicReference<Instant> clock = new AtomicReference<>(NOW);
    try (TestNode.Served own = TestNode.onClock(clock::get)) {
      Http client = new Http(own.address());
      client.post("/api/v1/slots", "{\"eventId\":\"leaked\"}").ok();
      clock.set(NOW.plus(Duration.ofMinutes(5)));
      client.post("/api/v1/slots", "{\"eventId\":\"fresh\"}").ok();

      Http.Answer none = client.post("/api/v1/dashboard/reclaim", "{\"olderThan\":\"PT6M\"}").ok();
      assertThat(none.intAt("reclaimed")).isZero();
      clock.set(NOW.plus(Duration.ofMinutes(6)));
      Http.Answer one = client.post("/api/v1/dashboard/reclaim", "{}").ok();
      assertThat(one.intAt("reclaimed")).isEqualTo(1);
      assertThat(one.at("more")).isEqualTo(false);
      assertThat(client.get("/api/v1/slots/leaked").ok().textAt("state")).isEqualTo("reclaimed");
      assertThat(client.get("/api/v1/slots/fresh").ok().textAt("state")).isEqualTo("assigned");
    }
  }

  @Test
  void onlyTheVersionThatWasReadIsChanged() {
    configure("shared", "\"maxPerWindow\":1,\"windowSize\":\"PT1S\"");
    String tag = http.get("/admin/rate-limit/config?name=shared").header("etag").orElseThrow();
    assertThat(tag).startsWith("\"1-");
    String two = "{\"configName\":\"shared\",\"maxPerWindow\":2,\"windowSize\":\"PT1S\"}";
    Http.Answer changed = http.with("If-Match", tag).post("/admin/rate-limit/config", two);
    assertThat(changed.status()).isEqualTo(201);
    String next = "\"2-%s\"".formatted(changed.textAt("createdAt"));
    assertThat(changed.header("etag")).hasValue(next);

    http.with("If-Match", tag).post("/admin/rate-limit/config", two).problem(412, "config-changed");
    http.with("If-None-Match", "*")
        .post("/admin/rate-limit/config", two)
        .problem(412, "config-exists");
    http.with("If-Match", "\"1\"")
        .post("/admin/rate-limit/config", two.replace("shared", "missing"))
        .problem(412, "config-changed");
    http.with("If-Match", "*")
        .post("/admin/rate-limit/config", two.replace("shared", "missing"))
        .problem(412, "config-changed");
    http.with("If-None-Match", "\"7\", W/" + next)
        .post("/admin/rate-limit/config", two)
        .problem(412, "config-exists");
    http.with("If-None-Match", "\"1\"")
        .post("/admin/rate-limit/config", two)
        .problem(400, "bad-request");
    http.get("/admin/rate-limit/config?name=missing").problem(404, "unknown-config");
    assertThat(http.get("/admin/rate-limit/config?name=shared").ok().intAt("version")).isEqualTo(2);
    assertThat(
            http.with("If-None-Match", "*")
                .post("/admin/rate-limit/config", two.replace("shared", "created"))
                .status())
        .isEqualTo(201);
  }

  private static void configure(String name, String policy) {
    assertThat(
            http.post(
                    "/admin/rate-limit/config",
                    "{\"configName\":\"%s\",%s}".formatted(name, policy))
                .status())
        .isEqualTo(201);
  }

  private static void assign(String config, int events) {
    String all =
        IntStream.range(0, events)
            .mapToObj(
                i -> "{\"eventId\":\"%s-%d\",\"configName\":\"%s\"}".formatted(config, i, config))
            .collect(Collectors.joining(",", "[", "]"));
    http.post("/api/v1/slots/batch", all).ok();
  }

  private static Http.Answer strip(String config, String from, String to, int cells) {
    return http.get(
            "/api/v1/dashboard/strip?configName=%s&from=%s&to=%s&cells=%d"
                .formatted(config, from, to, cells))
        .ok();
  }

  private static List<Integer> numbers(Http.Answer answer, String path) {
    return answer.listAt(path).stream()
        .map(number -> ((BigDecimal) number).intValueExact())
        .toList();
  }
}
