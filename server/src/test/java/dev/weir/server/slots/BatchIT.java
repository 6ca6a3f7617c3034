package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many slots by a JSON array. */
final class BatchIT {
  private static final String BATCH = "/api/v1/slots/batch";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @Test
  void answersInTheOrderOfTheEntries() {
    Http.Answer answer = http.post(BATCH, array(500, "order")).ok();
    assertThat(ids(answer)).isEqualTo(IntStream.range(0, 500).mapToObj(i -> "order" + i).toList());
    assertThat(times(answer)).doesNotHaveDuplicates();
  }

  @Test
  void givesAnEventThatStandsThereTwiceOneSlot() {
    Http.Answer answer =
        http.post(BATCH, "[{\"eventId\":\"twin\"},{\"eventId\":\"other\"},{\"eventId\":\"twin\"}]")
            .ok();
    assertThat(answer.at("0.replayed")).isEqualTo(false);
    assertThat(answer.at("2.replayed")).isEqualTo(true);
    assertThat(answer.at("2.scheduledTime")).isEqualTo(answer.at("0.scheduledTime"));
  }

  @Test
  void servesSeveralConfigurationsTogether() {
    for (String name : List.of("red", "blue")) {
      http.post(
          "/admin/rate-limit/config",
          "{\"configName\":\"%s\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\"}".formatted(name));
    }
    String time = "\"requestedTime\":\"2030-01-01T00:00:00Z\"";
    Http.Answer answer =
        http.post(
                BATCH,
                """
                [{"eventId":"r1","configName":"red",%1$s},{"eventId":"b1","configName":"blue",%1$s},
                 {"eventId":"r2","configName":"red",%1$s},{"eventId":"b2","configName":"blue",%1$s}]
                """
                    .formatted(time))
            .ok();
    assertThat(times(answer))
        .isEqualTo(
            List.of(
                "2030-01-01T00:00:00Z",
                "2030-01-01T00:00:00Z",
                "2030-01-01T00:00:01Z",
                "2030-01-01T00:00:01Z"));
  }

  @Test
  void namesTheEventOfABadEntry() {
    String entries =
        """
        [{"eventId":"bad1","requestedTime":"soon"},{"eventId":"bad2","color":"red"},
         {"eventId":"","color":"red"},{"eventId":7},{"color":"red"},
         {"eventId":"bad3","requestedTime":"9999-12-31T23:59:59.999999Z"}]
        """;
    assertThat(field(http.post(BATCH, entries).ok(), "eventId"))
        .containsExactly("bad1", "bad2", null, null, null, "bad3");
    String line = "{\"eventId\":\"bad4\",\"requestedTime\":\"soon\"}\n";
    assertThat(http.lines(line).text()).contains("\"eventId\":\"bad4\"");
  }

  @Test
  void answersABadEntryByItsOwnProblemAndCarriesOn() {
    Http.Answer answer =
        http.post(
                BATCH,
                """
                [{"eventId":"good1"}, {"eventId":""}, 7, null, [], {},
                 {"eventId":"lost","configName":"unknown"}, {"eventId":"good2"}]
                """)
            .ok();
    assertThat(answer.listAt("1.errors")).hasSize(1);
    assertThat(field(answer, "type"))
        .containsExactly(
            null,
            "urn:weir:problem:invalid-request",
            "urn:weir:problem:invalid-request",
            "urn:weir:problem:invalid-request",
            "urn:weir:problem:invalid-request",
            "urn:weir:problem:invalid-request",
            "urn:weir:problem:unknown-config",
            null);
    assertThat(answer.textAt("6.eventId")).isEqualTo("lost");
    assertThat(answer.intAt("6.status")).isEqualTo(404);
    http.get("/api/v1/slots/good2").ok();
    http.get("/api/v1/slots/lost").problem(404, "unknown-event");
  }

  @Test
  void answersNothingByNothing() {
    assertThat(http.post(BATCH, "[]").ok().text()).isEqualTo("[]");
  }

  @Test
  void refusesAnythingButAnArray() {
    for (String body : List.of("{}", "{\"eventId\":\"a\"}", "1", "\"a\"", "null")) {
      http.post(BATCH, body).problem(400, "invalid-request");
    }
    for (String body : List.of("", "[", "[{\"eventId\":\"half\"}", "[{\"eventId\":\"half\"},]")) {
      http.post(BATCH, body).problem(400, "malformed-json");
    }
    http.get("/api/v1/slots/half").problem(404, "unknown-event");
  }

  @Test
  void takesTenThousandEntriesAndNotOneMore() {
    assertThat((List<?>) http.post(BATCH, array(10_000, "x")).ok().json()).hasSize(10_000);
    http.post(BATCH, array(10_001, "y")).problem(413, "too-large");
    http.get("/api/v1/slots/y0").problem(404, "unknown-event");
  }

  @Test
  void takesOnlyTheTypesThatItNames() {
    http.send("POST", BATCH, HttpRequest.BodyPublishers.ofString("[{\"eventId\":\"untyped\"}]"))
        .problem(415, "unsupported-media-type");
    http.with("Content-Type", "text/csv").post(BATCH, "a").problem(415, "unsupported-media-type");
    http.with("Accept", "text/csv").post(BATCH, "[]").problem(406, "not-acceptable");
  }

  private static String array(int entries, String prefix) {
    return IntStream.range(0, entries)
        .mapToObj(i -> "{\"eventId\":\"" + prefix + i + "\"}")
        .collect(Collectors.joining(",", "[", "]"));
  }

  private static List<Object> ids(Http.Answer answer) {
    return field(answer, "eventId");
  }

  private static List<Object> times(Http.Answer answer) {
    return field(answer, "scheduledTime");
  }

  private static List<Object> field(Http.Answer answer, String name) {
    return ((List<?>) answer.json())
        .stream().<Object>map(entry -> ((Map<?, ?>) entry).get(name)).toList();
  }
}
