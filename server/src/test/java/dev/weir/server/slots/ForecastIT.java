package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How full the windows are, and when further events would be through. */
final class ForecastIT {
  private static final String WINDOWS = "/api/v1/slots/windows";
  private static final String FORECAST = "/api/v1/slots/forecast";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @BeforeAll
  static void prepare() {
    configure("\"configName\":\"narrow\",\"maxPerWindow\":2,\"windowSize\":\"PT1S\"");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      lines
          .append(
              "{\"configName\":\"narrow\",\"requestedTime\":\"2026-01-01T00:00:00Z\",\"eventId\":\"n")
          .append(i)
          .append("\"}\n");
    }
    http.lines(lines.toString());
  }

  @Test
  void countsWindows() {
    Http.Answer answer = http.get(WINDOWS + "?configName=narrow&from=2026-01-01T00:00:00Z").ok();
    assertThat(answer.text())
        .isEqualTo(
            """
            {"configName":"narrow","configVersion":1,"windowSize":"PT1S","maxPerWindow":2,"windows":[\
            {"start":"2026-01-01T00:00:00Z","end":"2026-01-01T00:00:01Z","taken":2,"max":2},\
            {"start":"2026-01-01T00:00:01Z","end":"2026-01-01T00:00:02Z","taken":2,"max":2},\
            {"start":"2026-01-01T00:00:02Z","end":"2026-01-01T00:00:03Z","taken":1,"max":2}]}\
            """);
  }

  @Test
  void countsWindowsAPageAtATime() {
    String query = WINDOWS + "?configName=narrow&limit=2&from=";
    Http.Answer first = http.get(query + "2026-01-01T00:00:00Z").ok();
    assertThat(first.listAt("windows")).hasSize(2);
    assertThat(first.textAt("next")).isEqualTo("2026-01-01T00:00:02Z");
    Http.Answer second = http.get(query + first.textAt("next")).ok();
    assertThat(second.listAt("windows")).hasSize(1);
    assertThat(((Map<?, ?>) second.json()).containsKey("next")).isFalse();
    // A time in the middle of a window means that window; the end is not included.
    assertThat(http.get(query + "2026-01-01T00:00:01.5Z").ok().listAt("windows")).hasSize(2);
    assertThat(http.get(query + "2026-01-01T00:00:00Z&to=2026-01-01T00:00:01Z").listAt("windows"))
        .hasSize(1);
    // Left out, it begins now.
    assertThat(http.get(WINDOWS + "?configName=narrow").ok().listAt("windows")).isEmpty();
  }

  @Test
  void looksToTheEndsOfTime() {
    for (String query :
        List.of(
            "from=0001-01-01T00:00:00Z",
            "from=9999-12-31T23:59:59.999999Z",
            "from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999999Z")) {
      http.get(WINDOWS + "?configName=narrow&" + query).ok();
    }
    http.get(FORECAST + "?events=1&from=0001-01-01T00:00:00Z").ok();
    Http.Answer end = http.get(FORECAST + "?events=1000&from=9999-12-31T23:59:59Z").ok();
    assertThat(end.intAt("placed")).isLessThan(1000);
    assertThat(((Map<?, ?>) end.json()).containsKey("through")).isFalse();
  }

  /** Many parsers reject a year of five digits. */
  @Test
  void theLastWindowEndsInTheLastYear() {
    for (String spread : List.of("even", "random")) {
      configure(
          "\"configName\":\"last\",\"maxPerWindow\":2,\"windowSize\":\"PT1S\",\"spread\":\"%s\""
              .formatted(spread));
      http.post(
              "/api/v1/slots",
              "{\"configName\":\"last\",\"requestedTime\":\"9999-12-31T23:59:59Z\",\"eventId\":\"l%s\"}"
                  .formatted(spread))
          .ok();
      Http.Answer windows =
          http.get(WINDOWS + "?configName=last&limit=1&from=9999-12-31T23:59:58Z").ok();
      assertThat(windows.textAt("windows.0.end")).isEqualTo("9999-12-31T23:59:59.999999Z");
      Http.Answer forecast =
          http.get(FORECAST + "?configName=last&events=1&from=9999-12-31T23:59:58.5Z").ok();
      assertThat(windows.text() + forecast.text()).doesNotContain("+10000");
    }
  }

  @Test
  void forecastsWithoutAssigning() {
    String query = FORECAST + "?configName=narrow&from=2026-01-01T00:00:00Z&events=";
    // One place is left in the third window, two in each after it.
    assertThat(http.get(query + 1).ok().textAt("through")).isEqualTo("2026-01-01T00:00:02.500Z");
    Http.Answer million = http.get(query + 1_000_000).ok();
    assertThat(million.intAt("placed")).isEqualTo(1_000_000);
    assertThat(million.textAt("windowStart")).isEqualTo("2026-01-06T18:53:22Z");
    assertThat(http.get(query + 1).ok().textAt("through")).isEqualTo("2026-01-01T00:00:02.500Z");
    assertThat(http.get(query + 1_000_000_000).ok().intAt("placed")).isEqualTo(1_000_000_000);
  }

  @Test
  void forecastsHowManyFindAPlace() {
    configure(
        "\"configName\":\"strict\",\"maxPerWindow\":2,\"windowSize\":\"PT1S\",\"maxDelay\":\"PT3S\"");
    Http.Answer answer =
        http.get(FORECAST + "?configName=strict&from=2026-01-01T00:00:00Z&events=100").ok();
    assertThat(answer.intAt("placed")).isEqualTo(7);
    assertThat(((Map<?, ?>) answer.json()).containsKey("through")).isFalse();
  }

  @Test
  void namesEveryWrongParameter() {
    http.get(WINDOWS + "?configName=a%20b&from=x&to=y&limit=0&state=all")
        .wrong("configName", "from", "to", "limit", "state");
    http.get(FORECAST + "?configName=a%20b&from=x&events=0&to=2026-01-01T00:00:00Z")
        .wrong("configName", "from", "events", "to");
    http.get(FORECAST).wrong("events");
    for (String events : List.of("", "-1", "1e3", "1000000001", "99999999999999999999", "many")) {
      http.get(FORECAST + "?events=" + events).wrong("events");
    }
    http.get(WINDOWS + "?configName=unknown").problem(404, "unknown-config");
    http.get(FORECAST + "?events=1&configName=unknown").problem(404, "unknown-config");
  }

  @Test
  void seesAChangeOfConfigurationImmediately() {
    configure("\"configName\":\"changing\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\"");
    String query = "?configName=changing&from=2026-01-01T00:00:00Z";
    assertThat(http.get(FORECAST + query + "&events=3").ok().textAt("through"))
        .isEqualTo("2026-01-01T00:00:02Z");
    assertThat(http.get(WINDOWS + query).ok().intAt("maxPerWindow")).isEqualTo(1);
    configure("\"configName\":\"changing\",\"maxPerWindow\":3,\"windowSize\":\"PT2S\"");
    assertThat(http.get(FORECAST + query + "&events=3").ok().textAt("through"))
        .isEqualTo("2026-01-01T00:00:01Z");
    assertThat(http.get(WINDOWS + query).ok().intAt("maxPerWindow")).isEqualTo(3);
  }

  private static void configure(String fields) {
    assertThat(http.post("/admin/rate-limit/config", "{" + fields + "}").status()).isEqualTo(201);
  }
}
