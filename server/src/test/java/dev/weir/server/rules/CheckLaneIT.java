package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.wiring.Node;
import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import dev.weir.server.wiring.TestNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The fast path gives the responses of the router, in order, and takes nothing twice. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CheckLaneIT {
  private Node node;
  private Http http;

  @BeforeEach
  void start() {
    node = TestNode.inMemory(Map.of());
    http = new Http(node.address());
    http.post(
        "/api/admin/rules", "{\"name\":\"three\",\"allowedRequests\":3,\"windowSeconds\":3600}");
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private static String ask(String key, String... headers) {
    String body = "{\"rule\":\"three\",\"key\":\"%s\"}".formatted(key);
    return "POST /api/v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + String.join("", Stream.of(headers).map(header -> header + "\r\n").toList())
        + "Content-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private static final String LAST =
      "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  private String exchange(String requests) throws IOException {
    return RawHttp.exchange(node.address(), requests + LAST);
  }

  /** Without what differs from run to run. */
  private static List<String> answers(String wire) {
    return Stream.of(wire.split("(?=HTTP/1.1 \\d)", -1))
        .filter(answer -> !answer.isEmpty())
        .map(
            answer ->
                answer
                    .replaceAll("\"decidedAt\":\"[^\"]*\"", "")
                    .replaceAll("date: \\w{3}, [0-9]{2} [^\r]* GMT", "date")
                    .replaceAll(
                        "(reset|retryAfter|Retry-After|t=|Reset|-length|in)(\":|: | )?[0-9.]+",
                        "$1"))
        .toList();
  }

  @Test
  void bothWaysAnswerTheSame() throws IOException {
    String quick = exchange(ask("a").repeat(4));
    String whole = exchange(ask("b", "X-Unusual: 1").repeat(4));

    assertThat(answers(quick)).hasSize(5);
    assertThat(answers(quick).stream().map(answer -> answer.replace("\"a\"", "\"b\"")).toList())
        .isEqualTo(answers(whole));
    assertThat(quick)
        .contains("HTTP/1.1 429")
        .contains("\r\nRetry-After: ")
        .contains("\"remaining\":2")
        .contains("\"remaining\":0");
  }

  @Test
  void answersKeepTheirOrderHoweverTheyAreMixed() throws IOException {
    String mixed =
        ask("c")
            + ask("c", "X-Unusual: 1")
            + ask("c")
            + ask("d")
            + ask("c", "Expect: x")
            + ask("e");
    List<String> answers = answers(exchange(mixed));
    assertThat(answers).hasSize(7);
    assertThat(answers.get(0)).contains("\"remaining\":2");
    assertThat(answers.get(1)).contains("\"remaining\":1");
    assertThat(answers.get(2)).contains("\"remaining\":0");
    assertThat(answers.get(3)).contains("\"key\":\"d\"");
    assertThat(answers.get(5)).contains("\"key\":\"e\"");
  }

  @Test
  void aBodyThatComesInPiecesIsReadAllTheSame() throws IOException {
    String whole = ask("f");
    for (int cut = 1; cut < whole.length(); cut += 9) {
      String key = "cut-" + cut;
      String request = ask(key);
      try (RawHttp raw = new RawHttp(node.address())) {
        raw.send(request.substring(0, cut));
        // So that the node has read the first piece separately.
        http.get("/health/live");
        raw.send(request.substring(cut) + ask(key));
        assertThat(raw.readTo("\"decidedAt\"")).contains("200").contains("\"remaining\":2");
        assertThat(raw.readTo("\"decidedAt\"")).contains("200").contains("\"remaining\":1");
      }
    }
  }

  @Test
  void whatIsNotQuiteOrdinaryIsLeftToTheLongWay() throws IOException {
    assertThat(exchange(ask("g").replace("Host: localhost\r\n", ""))).contains("HTTP/1.1 400");
    assertThat(exchange(ask("g").replace("Host: localhost\r\n", "Host: localhost\r\nHost: y\r\n")))
        .contains("HTTP/1.1 400");
    assertThat(exchange(ask("g").replace("application/json", "text/plain")))
        .contains("HTTP/1.1 415");
    assertThat(exchange(ask("g", "Accept: text/html"))).contains("HTTP/1.1 406");
    assertThat(exchange(ask("g").replace("three", "threx"))).contains("unknown-rule");
    assertThat(exchange(ask("g").replace("\"key\"", "\"kex\""))).contains("invalid-request");
    assertThat(exchange(ask("g").replace("POST", "DELETE"))).contains("HTTP/1.1 405");
    assertThat(exchange(ask("g").replace("\"three\"", "\"\u0001ree\""))).contains("malformed-json");
    assertThat(exchange(ask("g"))).contains("\"remaining\":2");
  }
}
