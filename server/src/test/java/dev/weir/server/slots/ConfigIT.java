package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.wiring.Node;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import dev.weir.server.slots.node.SlotSetting;
import dev.weir.server.wiring.TestNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Configurations over HTTP. */
final class ConfigIT {
  private static final String CONFIG = "/admin/rate-limit/config";
  private static final String HISTORY = CONFIG + "/history";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @Test
  void findsTheDefaultOneAndItsWorstSecond() {
    Http.Answer answer = http.get(CONFIG).ok();
    assertThat(answer.textAt("configName")).isEqualTo("default");
    assertThat(answer.intAt("version")).isEqualTo(1);
    assertThat(answer.intAt("maxPerWindow")).isEqualTo(100);
    assertThat(answer.textAt("windowSize")).isEqualTo("PT4S");
    assertThat(answer.intAt("windowSizeSecs")).isEqualTo(4);
    assertThat(answer.textAt("spread")).isEqualTo("even");
    assertThat(answer.textAt("notBefore")).isEqualTo("requested");
    assertThat(answer.intAt("peakPerSecond")).isBetween(25, 28);
    assertThat(http.get(CONFIG + "?name=default").ok().text()).isEqualTo(answer.text());
  }

  @Test
  void answersAConfigurationAsItIsStored() {
    Http.Answer answer =
        configure(
            """
            "configName":"full","maxPerWindow":7,"windowSize":"PT1.5S","spread":"random",
            "maxDelay":"PT1H","notBefore":"now","pausedUntil":"2026-01-01T00:00:00.000001+01:00"
            """);
    Map<?, ?> stored = (Map<?, ?>) answer.json();
    assertThat(stored.get("windowSizeSecs")).isEqualTo(new BigDecimal("1.5"));
    assertThat(stored.get("maxDelay")).isEqualTo("PT1H");
    assertThat(stored.get("notBefore")).isEqualTo("now");
    assertThat(stored.get("spread")).isEqualTo("random");
    assertThat(stored.get("pausedUntil")).isEqualTo("2025-12-31T23:00:00.000001Z");
    assertThat(stored.get("active")).isEqualTo(true);
    assertThat(Instant.parse(answer.textAt("createdAt"))).isBeforeOrEqualTo(Instant.now());
    assertThat(http.get(CONFIG + "?name=full").ok().json()).isEqualTo(stored);
  }

  @Test
  void takesSecondsInPlaceOfADuration() {
    for (String seconds : List.of("4", "4.0", "4e0", "40e-1")) {
      assertThat(
              configure(
                      "\"configName\":\"secs%1$s\",\"maxPerWindow\":1,\"windowSizeSecs\":%1$s"
                          .formatted(seconds))
                  .textAt("windowSize"))
          .isEqualTo("PT4S");
    }
    assertThat(
            configure("\"configName\":\"secs\",\"maxPerWindow\":1,\"windowSizeSecs\":0.0015")
                .textAt("windowSize"))
        .isEqualTo("PT0.0015S");
    for (String wrong :
        List.of("\"4\"", "0", "-4", "0.0000001", "1e30", "1e-30", "true", "1e999999999")) {
      post("\"configName\":\"secs\",\"maxPerWindow\":1,\"windowSizeSecs\":" + wrong)
          .wrong("windowSizeSecs");
    }
    post("\"configName\":\"secs\",\"maxPerWindow\":1,\"windowSizeSecs\":4,\"windowSize\":\"PT4S\"")
        .wrong("windowSizeSecs");
  }

  @Test
  void keepsEveryVersionNewestFirst() {
    for (int max = 1; max <= 3; max++) {
      assertThat(
              configure(
                      "\"configName\":\"kept\",\"maxPerWindow\":%d,\"windowSize\":\"PT1S\""
                          .formatted(max))
                  .intAt("version"))
          .isEqualTo(max);
    }
    Http.Answer history = http.get(HISTORY + "?name=kept").ok();
    assertThat((List<?>) history.json()).hasSize(3);
    for (int i = 0; i < 3; i++) {
      assertThat(history.intAt(i + ".version")).isEqualTo(3 - i);
      assertThat(history.intAt(i + ".maxPerWindow")).isEqualTo(3 - i);
      assertThat(history.at(i + ".active")).isEqualTo(i == 0);
    }
    assertThat(http.get(CONFIG + "?name=kept").ok().intAt("version")).isEqualTo(3);
  }

  @Test
  void listsTheActiveOnesByName() {
    configure("\"configName\":\"zebra\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\"");
    configure("\"configName\":\"aardvark\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\"");
    List<?> names =
        ((List<?>) http.get("/admin/rate-limit/configs").ok().json())
            .stream().map(config -> ((Map<?, ?>) config).get("configName")).toList();
    assertThat(names).asString().contains("aardvark", "default", "zebra");
    assertThat(names)
        .isSortedAccordingTo((one, other) -> one.toString().compareTo(other.toString()));
  }

  @Test
  void equalConfigurationMakesNoVersion() {
    String wanted = "{\"configName\":\"same\",\"maxPerWindow\":7,\"windowSize\":\"PT4S\"}";
    assertThat(http.post("/admin/rate-limit/config", wanted).status()).isEqualTo(201);

    Http.Answer again = http.post("/admin/rate-limit/config", wanted).ok();
    assertThat(again.intAt("version")).isEqualTo(1);
    String tag = "\"1-%s\"".formatted(again.textAt("createdAt"));
    assertThat(again.header("ETag")).hasValue(tag);
    http.with("If-Match", tag).post("/admin/rate-limit/config", wanted).ok();
    http.with("If-Match", tag.replace("\"1-", "\"2-"))
        .post("/admin/rate-limit/config", wanted)
        .problem(412, "config-changed");
    assertThat(http.post("/admin/rate-limit/config", wanted.replace('7', '8')).intAt("version"))
        .isEqualTo(2);
  }

  @Test
  void bringsACalendarBackAsItWasGiven() {
    String calendar =
        """
        {"timeZone":"Europe/Berlin",\
        "hours":{"monday":["09:00-12:00","13:00-17:30"],"sunday":["00:00-24:00"]},\
        "closedDates":["2026-01-01","2026-12-25"]}\
        """;
    Http.Answer stored =
        configure(
            "\"configName\":\"open\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\",\"calendar\":"
                + calendar);
    assertThat(stored.text()).contains("\"calendar\":" + calendar);
    assertThat(http.get(CONFIG + "?name=open").ok().text()).contains("\"calendar\":" + calendar);
    // Hours past midnight come back as two: a closed date closes its own day only.
    assertThat(
            configure(
                    """
                    "configName":"open","maxPerWindow":1,"windowSize":"PT1S",
                    "calendar":{"timeZone":"UTC","hours":{"friday":["22:00-06:00"]}}
                    """)
                .text())
        .contains("\"hours\":{\"friday\":[\"22:00-24:00\"],\"saturday\":[\"00:00-06:00\"]}");
  }

  @Test
  void namesEveryWrongField() {
    post("""
    "configName":"a b","maxPerWindow":0,"windowSize":"PT0S","spread":"odd","maxDelay":"-PT1S",
    "notBefore":"later","pausedUntil":"soon","colour":"red",
    "calendar":{"timeZone":"Mars/Base","hours":{"monday":["9-5"],"funday":[]},
                "closedDates":["never"],"holidays":[]}
    """)
        .wrong(
            "configName",
            "maxPerWindow",
            "windowSize",
            "spread",
            "maxDelay",
            "notBefore",
            "pausedUntil",
            "colour",
            "calendar.timeZone",
            "calendar.hours.monday",
            "calendar.hours.funday",
            "calendar.closedDates",
            "calendar.holidays");
    post("").wrong("configName", "maxPerWindow", "windowSize");
    post("\"maxPerWindow\":0,\"calendar\":{\"timeZone\":\"UTC\",\"hours\":{}}")
        .wrong("configName", "maxPerWindow", "windowSize", "calendar.hours");
    post("\"configName\":1,\"maxPerWindow\":\"100\",\"windowSize\":4,\"calendar\":[],\"maxDelay\":1")
        .wrong("configName", "maxPerWindow", "windowSize", "calendar", "maxDelay");
  }

  @Test
  void refusesInvalidCalendars() {
    Map.of(
            "{}", "calendar.timeZone calendar.hours",
            "{\"timeZone\":null,\"hours\":null}", "calendar.timeZone calendar.hours",
            "{\"timeZone\":\"UTC\",\"hours\":[]}", "calendar.hours",
            "{\"timeZone\":\"UTC\",\"hours\":{\"monday\":[]}}", "calendar.hours",
            "{\"timeZone\":\"UTC\",\"hours\":{\"monday\":\"09:00-17:00\"}}",
                "calendar.hours.monday",
            "{\"timeZone\":\"UTC\",\"hours\":{\"monday\":[\"25:00-26:00\",\"x\",1]}}",
                "calendar.hours.monday",
            "{\"timeZone\":\"UTC\",\"hours\":{\"Monday\":[\"09:00-17:00\"]}}",
                "calendar.hours.Monday",
            "{\"timeZone\":\"UTC\",\"hours\":{\"monday\":[\"09:00-09:00\"]}}",
                "calendar.hours.monday",
            "{\"timeZone\":1,\"hours\":{\"monday\":[\"09:00-17:00\"]}}", "calendar.timeZone")
        .forEach(
            (calendar, wrong) ->
                post("\"configName\":\"c\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\",\"calendar\":"
                        + calendar)
                    .wrong(wrong.split(" ", -1)));
    String dates = "\"2026-01-01\",".repeat(3_000) + "\"2026-01-01\"";
    post("""
    "configName":"c","maxPerWindow":1,"windowSize":"PT1S",
    "calendar":{"timeZone":"UTC","hours":{"monday":["09:00-17:00"]},"closedDates":[%s]}
    """
            .formatted(dates))
        .wrong("calendar.closedDates");
    http.get(CONFIG + "?name=c").problem(404, "unknown-config");
  }

  @Test
  void refusesLimitsThatCannotBeKept() {
    for (String max :
        List.of("0", "-1", "1.5", "1e10", "2147483648", "2147483647", "true", "\"1\"", "[]")) {
      post("\"configName\":\"c\",\"windowSize\":\"PT1S\",\"maxPerWindow\":" + max)
          .wrong("maxPerWindow");
    }
    for (String size :
        List.of(
            "PT0S",
            "-PT4S",
            "PT0.0009S",
            "P32D",
            "4",
            "4s",
            "",
            "PT0.0000001S",
            "PT999999999999999H")) {
      post("\"configName\":\"c\",\"maxPerWindow\":1,\"windowSize\":\"%s\"".formatted(size))
          .wrong("windowSize");
    }
    for (String delay : List.of("-PT1S", "1h", "", "PT0.0000001S", "PT99999999999999H")) {
      post("\"configName\":\"c\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\",\"maxDelay\":\"%s\""
              .formatted(delay))
          .wrong("maxDelay");
    }
    // Less than a microsecond for each.
    post("\"configName\":\"c\",\"maxPerWindow\":100000,\"windowSize\":\"PT0.001S\"")
        .wrong("maxPerWindow");
    configure("\"configName\":\"max\",\"maxPerWindow\":100000,\"windowSize\":\"PT1S\"");
  }

  @Test
  void refusesPoliciesThatCanNeverAssignASlot() {
    String windows = "\"configName\":\"never\",\"maxPerWindow\":1,\"windowSize\":\"PT1H\",";
    String hours = "\"calendar\":{\"timeZone\":\"UTC\",\"hours\":{\"monday\":[\"09:10-09:50\"]}}";
    // The only place of a window is its start.
    post(windows + hours).wrong("calendar");
    post(windows + "\"spread\":\"random\"," + hours).wrong("calendar");
    post(windows + "\"pausedUntil\":\"9999-12-31T23:59:59Z\"").wrong("pausedUntil");
    post(windows + "\"spread\":\"random\",\"maxDelay\":\"PT59M\"").wrong("maxDelay");
    http.get(CONFIG + "?name=never").problem(404, "unknown-config");
    configure(windows + "\"spread\":\"random\",\"maxDelay\":\"PT1H\"");
    configure(windows + hours.replace("09:10", "09:00"));
  }

  @Test
  void refusesWindowsThatOutlastTheRetention() {
    try (Node brief = TestNode.inMemory(Map.of(SlotSetting.RETENTION, "PT1M"))) {
      Http other = new Http(brief.address());
      String policy = "{\"configName\":\"default\",\"maxPerWindow\":1,%s}";
      other.post(CONFIG, policy.formatted("\"windowSize\":\"PT61S\"")).wrong("windowSize");
      other.post(CONFIG, policy.formatted("\"windowSizeSecs\":61")).wrong("windowSizeSecs");
      assertThat(other.get(CONFIG).ok().intAt("version")).isEqualTo(1);
      assertThat(other.post(CONFIG, policy.formatted("\"windowSize\":\"PT60S\"")).status())
          .isEqualTo(201);
    }
    assertThatThrownBy(() -> TestNode.inMemory(Map.of(SlotSetting.RETENTION, "PT3S")))
        .hasMessageContaining("weir.slots.retention")
        .hasMessageContaining("at least PT4S")
        .hasMessageContaining("\"default\"");
  }

  @Test
  void namesWrongParametersAndUnknownNames() {
    for (String path : List.of(CONFIG, HISTORY)) {
      http.get(path + "?name=missing").problem(404, "unknown-config");
      http.get(path + "?name=a%20b&version=1").wrong("name", "version");
      http.get(path + "?name=%00").wrong("name");
      http.get(path + "?name=").wrong("name");
    }
  }

  @Test
  void flushesCaches() {
    assertThat(http.post("/admin/rate-limit/cache/flush").status()).isEqualTo(204);
    assertThat(http.post("/admin/rate-limit/cache/flush", "{}").status()).isEqualTo(204);
  }

  @Test
  void changesWhatTheNextRequestGets() {
    configure("\"configName\":\"live\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\"");
    String request =
        "{\"eventId\":\"%s\",\"configName\":\"live\",\"requestedTime\":\"2026-01-01T00:00:00Z\"}";
    assertThat(http.post("/api/v1/slots", request.formatted("l1")).ok().intAt("delayMs")).isZero();
    assertThat(http.post("/api/v1/slots", request.formatted("l2")).ok().intAt("delayMs"))
        .isEqualTo(1_000);
    configure("\"configName\":\"live\",\"maxPerWindow\":2,\"windowSize\":\"PT1S\"");
    Http.Answer next = http.post("/api/v1/slots", request.formatted("l3")).ok();
    assertThat(next.intAt("delayMs")).isEqualTo(500);
    assertThat(next.intAt("configVersion")).isEqualTo(2);
  }

  private static Http.Answer configure(String fields) {
    Http.Answer answer = post(fields);
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    return answer;
  }

  private static Http.Answer post(String fields) {
    return http.post(CONFIG, "{" + fields + "}");
  }
}
