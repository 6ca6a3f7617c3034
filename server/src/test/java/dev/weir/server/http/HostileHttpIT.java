package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Malformed requests are refused and do no harm to the node. */
final class HostileHttpIT {
  private static final int TEN_MEGABYTES = 10 * 1024 * 1024;
  private static final String HEAD =
      """
      POST /api/v1/slots HTTP/1.1\r
      Host: localhost\r
      Content-Type: application/json\r
      """;
  private static final String BODY = "{\"eventId\":\"hostile\"}";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @AfterEach
  void theNodeIsNoneTheWorse() {
    http.get("/health/ready").ok();
    http.get("/api/v1/slots/hostile").problem(404, "unknown-event");
  }

  @Test
  void refusesConflictingLengths() throws IOException {
    refuses(400, HEAD + "Content-Length: 21\r\nContent-Length: 5\r\n\r\n" + BODY);
    refuses(400, HEAD + "Content-Length: 21, 5\r\n\r\n" + BODY);
    refuses(
        400,
        HEAD
            + "Content-Length: 21\r\nTransfer-Encoding: chunked\r\n\r\n15\r\n"
            + BODY
            + "\r\n0\r\n\r\n");
  }

  @Test
  void refusesLengthsThatAreNone() throws IOException {
    for (String length : new String[] {"-1", "+21", "0x15", "21a", "", "99999999999999999999"}) {
      refuses(400, HEAD + "Content-Length: " + length + "\r\n\r\n" + BODY);
    }
  }

  @Test
  void refusesChunksThatAreNone() throws IOException {
    for (String size : new String[] {"-1", "zz", "ffffffffffffffff", "100000000", ""}) {
      refuses(
          400,
          HEAD + "Transfer-Encoding: chunked\r\n\r\n" + size + "\r\n" + BODY + "\r\n0\r\n\r\n");
    }
    // A whole request, and then nonsense where its end should be.
    refuses(400, HEAD + "Transfer-Encoding: chunked\r\n\r\n15\r\n" + BODY + "\r\nnonsense\r\n\r\n");
    refuses(400, HEAD + "Transfer-Encoding: chunked\r\n\r\n15;" + "x".repeat(100_000) + "\r\n");
  }

  @Test
  void doesNotTakeABrokenStreamForAWholeOne() throws IOException {
    String lines = HEAD.replace("/slots", "/slots/batch").replace("/json", "/x-ndjson");
    refuses(
        400, lines + "Transfer-Encoding: chunked\r\n\r\n15\r\n" + BODY + "\r\nnonsense\r\n\r\n");
  }

  @Test
  void brokenBodiesAreNotLoggedAsMistakesOfOurs() throws IOException {
    String chunked = "Transfer-Encoding: chunked\r\n\r\n15\r\n" + BODY + "\r\nnonsense\r\n\r\n";
    String packed = "Content-Encoding: gzip\r\nContent-Length: 21\r\n\r\n" + BODY;
    String lines = HEAD.replace("/slots", "/slots/batch").replace("/json", "/x-ndjson");
    try (LogWatch logs = new LogWatch()) {
      refuses(400, HEAD + chunked);
      refuses(400, HEAD + packed);
      refuses(400, lines + chunked);
      RawHttp.exchange(node.address(), lines + "Connection: close\r\n" + packed);
      assertThat(logs.lines("ERROR")).isEmpty();
      assertThat(logs.lines("WARN")).isEmpty();
    }
  }

  @Test
  void refusesHeadersThatAreNone() throws IOException {
    refuses(400, HEAD + "X: a\0b\r\nContent-Length: 21\r\n\r\n" + BODY);
    refuses(400, HEAD + "X y: a\r\nContent-Length: 21\r\n\r\n" + BODY);
    refuses(400, HEAD + "X : a\r\nContent-Length: 21\r\n\r\n" + BODY);
    refuses(400, (HEAD + "Content-Length: 21\r\n\r\n").replace("\r\n", "\n") + BODY);
    refuses(400, "GET\r\n\r\n");
    refuses(400, "\u0016\u0003\u0001\u0002\0\u0001\r\n\r\n");
  }

  @Test
  void refusesRequestsWithoutOneHost() throws IOException {
    String end = "Connection: close\r\n\r\n";
    refuses(400, "GET /health/live HTTP/1.1\r\n" + end);
    refuses(400, "GET /nope HTTP/1.1\r\n" + end);
    refuses(400, "GET /health/live HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n" + end);
    assertThat(RawHttp.exchange(node.address(), "GET /health/live HTTP/1.0\r\n\r\n"))
        .matches("(?s)HTTP/1\\.[01] 200 .*");
  }

  @Test
  void refusesVersionsAndTransferCodingsThatItDoesNotRead() throws IOException {
    String live = "GET /health/live HTTP/%s\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    for (String version : new String[] {"2.0", "9.9"}) {
      assertThat(RawHttp.exchange(node.address(), live.formatted(version)))
          .contains(" 505 ", "version-not-supported");
    }
    refuses(400, HEAD + "Connection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n");
  }

  @Test
  void boundsHeadersAndRequestLines() throws IOException {
    refuses(431, HEAD + "X: " + "x".repeat(20_000) + "\r\nContent-Length: 21\r\n\r\n" + BODY);
    StringBuilder many = new StringBuilder(HEAD);
    for (int i = 0; i < 5_000; i++) {
      many.append("X-").append(i).append(": 1\r\n");
    }
    refuses(431, many + "Content-Length: 21\r\n\r\n" + BODY);
    refuses(414, "GET /api/v1/slots/" + "x".repeat(9_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    http.get("/api/v1/slots?cursor=" + "x".repeat(9_000)).problem(414, "uri-too-long");
  }

  @Test
  void puts1000SmallHeadersUpWith() {
    String[] headers = new String[2_000];
    for (int i = 0; i < headers.length; i += 2) {
      headers[i] = "X-" + i;
      headers[i + 1] = "1";
    }
    http.with(headers).get("/health/live").ok();
  }

  @Test
  void clientsCannotInjectResponseHeaders() throws IOException {
    for (String path :
        new String[] {
          "/api/v1/slots/a%0d%0aX-Evil:%201", "/nope%0d%0aX-Evil:%201", "/docs/%0d%0aX-Evil:%201"
        }) {
      String answer =
          RawHttp.exchange(
              node.address(),
              "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assertThat(answer).startsWith("HTTP/1.1 404");
      assertThat(answer.lines()).noneMatch(line -> line.startsWith("X-Evil"));
    }
    refuses(400, "GET /api/v1/slots/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    refuses(
        400, "GET /api/v1/slots?limit=% HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  }

  @Test
  void refusesTenMegabytesHoweverTheyCome() {
    byte[] large = new byte[TEN_MEGABYTES];
    Arrays.fill(large, (byte) ' ');
    Http json = http.with("Content-Type", "application/json");
    for (String path :
        new String[] {"/api/v1/slots", "/api/v1/slots/batch", "/admin/rate-limit/config"}) {
      json.send("POST", path, HttpRequest.BodyPublishers.ofByteArray(large))
          .problem(413, "too-large");
      // Without a length, so in chunks.
      json.send("POST", path, HttpRequest.BodyPublishers.ofByteArrays(List.of(large)))
          .problem(413, "too-large");
    }
  }

  @Test
  void refusesALargeBodyBeforeItIsSent() throws IOException {
    try (RawHttp raw = new RawHttp(node.address())) {
      raw.send(HEAD + "Expect: 100-continue\r\nContent-Length: " + TEN_MEGABYTES + "\r\n\r\n");
      assertThat(raw.readTo("\r\n")).startsWith("HTTP/1.1 413");
    }
  }

  @Test
  void unpacksGzipWithinTheSameBound() throws IOException {
    Http packed = http.with("Content-Type", "application/json", "Content-Encoding", "gzip");
    String small = "{\"eventId\":\"packed\"}";
    packed.send("POST", "/api/v1/slots", HttpRequest.BodyPublishers.ofByteArray(gzip(small))).ok();
    packed
        .send(
            "POST",
            "/api/v1/slots",
            HttpRequest.BodyPublishers.ofByteArray(gzip(" ".repeat(TEN_MEGABYTES))))
        .problem(413, "too-large");
    packed
        .send("POST", "/api/v1/slots", HttpRequest.BodyPublishers.ofString(BODY))
        .problem(400, "bad-request");
    packed
        .with("Content-Type", "application/x-ndjson", "Content-Encoding", "gzip")
        .send("POST", "/api/v1/slots/batch", HttpRequest.BodyPublishers.ofString(BODY))
        .problem(400, "bad-request");
  }

  @Test
  void doesNothingForARequestThatEndsEarly() throws IOException {
    try (RawHttp raw = new RawHttp(node.address())) {
      raw.send(HEAD + "Content-Length: 100\r\n\r\n" + BODY);
    }
    try (RawHttp raw = new RawHttp(node.address())) {
      raw.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n15\r\n" + BODY + "\r\n");
    }
  }

  @Test
  void answersAClientThatHasClosedItsSendingSide() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      lines.append("{\"eventId\":\"half-").append(i).append("\"}\n");
    }
    try (RawHttp raw = new RawHttp(node.address())) {
      raw.send(
          "POST /api/v1/slots/batch HTTP/1.1\r\nHost: localhost\r\n"
              + "Content-Type: application/x-ndjson\r\nContent-Length: "
              + lines.length()
              + "\r\n\r\n"
              + lines);
      raw.endSending();
      assertThat(raw.readAll())
          .startsWith("HTTP/1.1 200 ")
          .contains("half-0", "half-999")
          .endsWith("0\r\n\r\n");
    }
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return out.toByteArray();
  }

  /** Expects a problem as the response, and then the close of the connection. */
  private static void refuses(int status, String request) throws IOException {
    String answer = RawHttp.exchange(node.address(), request);
    assertThat(answer).as(request).matches("(?s)HTTP/1\\.[01] " + status + " .*");
    assertThat(answer).containsIgnoringCase("content-type: application/problem+json");
    assertThat(answer).contains("urn:weir:problem:");
  }
}
