package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.fields.JsonDocument;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Events that are taken over with the times that another system has given them. */
final class AdoptIT {
  private static final String ADOPT = "/admin/slots/adopt";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @Test
  void keepsTheTimesAndCountsThemInTheirWindows() {
    configure("kept", 2);

    List<Map<?, ?>> answers =
        adopt(
            "?configName=kept",
            "{\"eventId\":\"k1\",\"scheduledTime\":\"2031-01-01T00:00:01.234567Z\"}",
            "{\"eventId\":\"k2\",\"scheduledTime\":\"2031-01-01T01:00:03+01:00\","
                + "\"requestedTime\":\"2030-12-31T23:59:00Z\",\"state\":\"confirmed\"}");

    assertThat(fields(answers.getFirst()))
        .containsExactly(
            "2031-01-01T00:00:01.234567Z", "2031-01-01T00:00:01.234567Z", "assigned", false, false);
    assertThat(fields(answers.getLast()))
        .containsExactly("2031-01-01T00:00:03Z", "2030-12-31T23:59:00Z", "confirmed", false, false);
    assertThat(
            http.post(
                    "/api/v1/slots",
                    "{\"eventId\":\"k3\",\"configName\":\"kept\","
                        + "\"requestedTime\":\"2031-01-01T00:00:00Z\"}")
                .ok()
                .textAt("scheduledTime"))
        .isEqualTo("2031-01-01T00:00:04Z");
  }

  @Test
  void answersEachLineByWhatBecameOfIt() {
    configure("each", 1);
    String first = "{\"eventId\":\"e1\",\"scheduledTime\":\"2031-01-01T00:00:01Z\"}";

    List<Map<?, ?>> answers =
        adopt(
            "?configName=each",
            first,
            first,
            "{\"eventId\":\"e1\",\"scheduledTime\":\"2031-01-01T00:00:02Z\"}",
            "{\"eventId\":\"e2\",\"scheduledTime\":\"2031-01-01T00:00:02Z\"}",
            "no JSON",
            "{\"eventId\":\"e3\"}",
            "{\"eventId\":\"e4\",\"scheduledTime\":\"2031-01-01T00:00:04Z\","
                + "\"state\":\"cancelled\",\"configName\":\"other\"}",
            "{\"eventId\":\"e5\",\"scheduledTime\":\"2031-01-01T00:00:04Z\","
                + "\"requestedTime\":\"2031-01-01T00:00:05Z\"}",
            "{\"eventId\":\"e6\",\"scheduledTime\":\"2031-01-01T00:00:05Z\"}");

    assertThat(answers.stream().map(answer -> String.valueOf(answer.get("type"))))
        .containsExactly(
            "null",
            "null",
            "urn:weir:problem:event-exists",
            "urn:weir:problem:window-full",
            "urn:weir:problem:malformed-json",
            "urn:weir:problem:invalid-request",
            "urn:weir:problem:invalid-request",
            "urn:weir:problem:invalid-request",
            "null");
    assertThat(answers.get(1).get("replayed")).isEqualTo(true);
    assertThat(String.valueOf(answers.get(2).get("detail")))
        .contains("2031-01-01T00:00:01Z", "2031-01-01T00:00:02Z");
    assertThat(String.valueOf(answers.get(6).get("errors"))).contains("state", "configName");
    assertThat(String.valueOf(answers.get(7).get("errors"))).contains("requestedTime");
    assertThat(answers.get(7).get("eventId")).isEqualTo("e5");
  }

  @Test
  void acceptsTooManyEventsOfAWindowOnRequest() {
    configure("over", 1);
    String[] lines =
        IntStream.range(0, 600)
            .mapToObj(
                i ->
                    "{\"eventId\":\"o%d\",\"scheduledTime\":\"2031-01-01T00:00:01Z\"}".formatted(i))
            .toArray(String[]::new);

    List<Map<?, ?>> answers = adopt("?configName=over&overfull=accept", lines);

    assertThat(answers.stream().map(answer -> String.valueOf(answer.get("eventId"))).toList())
        .isEqualTo(IntStream.range(0, 600).mapToObj(i -> "o" + i).toList());
    assertThat(answers.getFirst().get("overfull")).isEqualTo(false);
    assertThat(answers.stream().filter(answer -> Boolean.TRUE.equals(answer.get("overfull"))))
        .hasSize(599);
    assertThat(
            http.get(
                    "/api/v1/slots/windows?configName=over&from=2031-01-01T00:00:00Z"
                        + "&to=2031-01-01T00:00:04Z")
                .ok()
                .text())
        .contains("\"taken\":600");
  }

  @Test
  void refusesWhatIsNoConfigurationOrChoice() {
    assertThat(post("?configName=nobody", "").problem(404, "unknown-config").text())
        .contains("nobody");
    assertThat(post("?overfull=perhaps&colour=red", "").problem(400, "invalid-request").text())
        .contains("overfull", "colour");
  }

  private static List<Object> fields(Map<?, ?> answer) {
    return Stream.of("scheduledTime", "requestedTime", "state", "overfull", "replayed")
        .<Object>map(field -> Objects.requireNonNull(answer.get(field)))
        .toList();
  }

  private static void configure(String name, int maxPerWindow) {
    http.post(
        "/admin/rate-limit/config",
        "{\"configName\":\"%s\",\"maxPerWindow\":%d,\"windowSize\":\"PT4S\"}"
            .formatted(name, maxPerWindow));
  }

  private static List<Map<?, ?>> adopt(String query, String... lines) {
    Http.Answer answer = post(query, String.join("\n", lines));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).hasValue("application/x-ndjson");
    return answer
        .text()
        .lines()
        .<Map<?, ?>>map(
            line -> {
              byte[] json = line.getBytes(StandardCharsets.UTF_8);
              return (Map<?, ?>) JsonDocument.read(json, 0, json.length);
            })
        .toList();
  }

  private static Http.Answer post(String query, String lines) {
    return http.with("Content-Type", "application/x-ndjson")
        .send("POST", ADOPT + query, HttpRequest.BodyPublishers.ofString(lines));
  }
}
