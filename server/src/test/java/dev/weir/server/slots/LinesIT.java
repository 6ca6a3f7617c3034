package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.fields.JsonDocument;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many slots by lines of JSON: each line gets one line in response, valid or not. */
final class LinesIT {
  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @Test
  void answersALineForALineInOrder() {
    List<Map<?, ?>> answers = send(lines(0, 5_000, "\n"));
    assertThat(ids(answers)).isEqualTo(IntStream.range(0, 5_000).mapToObj(i -> "e" + i).toList());
    assertThat(answers.stream().map(answer -> answer.get("scheduledTime")).distinct())
        .hasSize(5_000);
  }

  /** One place in a window, so that the time tells the window. */
  @Test
  void givesSlotsInTheOrderOfTheLines() {
    http.post(
        "/admin/rate-limit/config",
        "{\"configName\":\"one\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\"}");
    String lines =
        IntStream.range(0, 20_000)
            .mapToObj(
                i ->
                    "{\"eventId\":\"turn%d\",\"configName\":\"one\",\"requestedTime\":\"%s\"}"
                        .formatted(i, "2030-01-01T00:00:00Z"))
            .collect(Collectors.joining("\n"));

    List<Instant> times =
        send(lines).stream()
            .map(answer -> Instant.parse(String.valueOf(answer.get("scheduledTime"))))
            .toList();

    assertThat(times).hasSize(20_000);
    assertThat(
            IntStream.range(1, times.size())
                .filter(i -> times.get(i).isBefore(times.get(i - 1)))
                .count())
        .as("lines with an earlier window than the line before")
        .isZero();
  }

  @Test
  void skipsBlankLinesAndAcceptsEveryLineEnding() {
    List<Map<?, ?>> answers =
        send(
            "\ufeff{\"eventId\":\"a\"}\r\n\n \t\r\n\r\n{\"eventId\":\"b\"}\n\n{\"eventId\":\"c\"}");
    assertThat(ids(answers)).containsExactly("a", "b", "c");
    assertThat(send("")).isEmpty();
    assertThat(send("\n\r\n  \n")).isEmpty();
  }

  @Test
  void answersABadLineByItsOwnProblemAndCarriesOn() {
    List<Map<?, ?>> answers =
        send(
            """
            {"eventId":"good1"}
            {"eventId":"half
            nonsense
            [{"eventId":"array"}]
            {"eventId":"two"} {"eventId":"three"}
            {"eventId":""}
            {"eventId":"stray","configName":"unknown"}
            {"eventId":"good2"}
            """);
    assertThat(answers.stream().map(answer -> Objects.toString(answer.get("type"), "slot")))
        .containsExactly(
            "slot",
            "urn:weir:problem:malformed-json",
            "urn:weir:problem:malformed-json",
            "urn:weir:problem:invalid-request",
            "urn:weir:problem:malformed-json",
            "urn:weir:problem:invalid-request",
            "urn:weir:problem:unknown-config",
            "slot");
    assertThat(answers.get(2).get("detail")).asString().contains("line 3, column");
    for (String id : List.of("half", "array", "two", "three", "stray")) {
      http.get("/api/v1/slots/" + id).problem(404, "unknown-event");
    }
  }

  @Test
  void answersLinesWithBytesThatAreNoText() {
    byte[] lines = "{\"eventId\":\"?\"}\n{\"eventId\":\"text\"}\n".getBytes(StandardCharsets.UTF_8);
    lines[12] = (byte) 0xff;
    Http.Answer answer =
        http.with("Content-Type", "application/x-ndjson")
            .send("POST", "/api/v1/slots/batch", HttpRequest.BodyPublishers.ofByteArray(lines));
    assertThat(parse(answer)).hasSize(2);
    assertThat(parse(answer).get(1).get("eventId")).isEqualTo("text");
  }

  @Test
  void skipsALineThatIsTooLongWhereverItEnds() {
    int bound = LineStream.MAX_LINE_BYTES;
    for (int length :
        new int[] {bound + 1, bound + 2, 65_535, 65_536, 65_537, 200_000, 1_000_000}) {
      List<Map<?, ?>> answers =
          send(
              padded("before" + length, 100)
                  + padded("long", length)
                  + padded("after" + length, 50));
      assertThat(answers).as("%d bytes", length).hasSize(3);
      assertThat(answers.get(1).get("type")).isEqualTo("urn:weir:problem:line-too-long");
      assertThat(answers.get(2).get("eventId")).isEqualTo("after" + length);
    }
    http.get("/api/v1/slots/long").problem(404, "unknown-event");
    assertThat(send(padded("just", bound)).getFirst().get("eventId")).isEqualTo("just");
    assertThat(send("x".repeat(300_000))).hasSize(1);
    assertThat(send("x".repeat(300_000) + "\n" + "y".repeat(300_000))).hasSize(2);
  }

  @Test
  void unpacksGzip() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(lines(10_000, 12_000, "\n").getBytes(StandardCharsets.UTF_8));
    }
    Http.Answer answer =
        http.with("Content-Type", "application/x-ndjson", "Content-Encoding", "gzip")
            .send(
                "POST",
                "/api/v1/slots/batch",
                HttpRequest.BodyPublishers.ofByteArray(packed.toByteArray()));
    assertThat(ids(parse(answer))).hasSize(2_000).endsWith("e11999");
  }

  @Test
  void answersInLinesWhetherOrNotJsonIsAccepted() {
    for (String accept :
        List.of("application/json", "application/x-ndjson", "application/*", "*/*")) {
      Http.Answer answer =
          http.with("Content-Type", "application/x-ndjson", "Accept", accept)
              .send(
                  "POST",
                  "/api/v1/slots/batch",
                  HttpRequest.BodyPublishers.ofString("{\"eventId\":\"accepted\"}"));
      assertThat(ids(parse(answer))).containsExactly("accepted");
    }
  }

  private static String lines(int from, int until, String ending) {
    return IntStream.range(from, until)
        .mapToObj(i -> "{\"eventId\":\"e" + i + "\"}")
        .collect(Collectors.joining(ending, "", ending));
  }

  /** Returns a line of the given number of bytes without its end. */
  private static String padded(String id, int bytes) {
    String line = "{\"eventId\":\"" + id + "\"";
    return line + " ".repeat(bytes - line.length() - 1) + "}\n";
  }

  private static List<Map<?, ?>> send(String lines) {
    return parse(http.lines(lines));
  }

  private static List<Map<?, ?>> parse(Http.Answer answer) {
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).hasValue("application/x-ndjson");
    assertThat(answer.text()).matches(text -> text.isEmpty() || text.endsWith("\n"));
    return answer.text().lines().<Map<?, ?>>map(LinesIT::parse).toList();
  }

  private static Map<?, ?> parse(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return (Map<?, ?>) JsonDocument.read(bytes, 0, bytes.length);
  }

  private static List<Object> ids(List<Map<?, ?>> answers) {
    return answers.stream().<Object>map(answer -> answer.get("eventId")).toList();
  }
}
