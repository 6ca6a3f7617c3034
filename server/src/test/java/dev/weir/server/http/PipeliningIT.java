package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that a client sends without waiting for responses are all answered in order. */
final class PipeliningIT {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3}) ");
  private static final String LIVE = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String UNKNOWN = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String NO_BODY = "HEAD /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  @BeforeAll
  static void addRule() {
    String rule = "{\"name\":\"pipelined\",\"allowedRequests\":100000,\"windowSeconds\":60}";
    assertThat(node.http().post("/api/admin/rules", rule).status()).isEqualTo(201);
  }

  /** A check that is answered beside the router. */
  private static String check() {
    return post("/api/v1/check", "application/json", "{\"rule\":\"pipelined\",\"key\":\"k\"}", "");
  }

  private static String slot(String event) {
    return post("/api/v1/slots", "application/json", "{\"eventId\":\"" + event + "\"}", "");
  }

  private static String wrong(int fillerBytes) {
    return post("/api/v1/slots", "text/plain", "x".repeat(fillerBytes), "");
  }

  private static String post(String path, String type, String body, String more) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s"
        .formatted(path, type, body.length(), more, body);
  }

  private static List<Integer> statuses(String answers) {
    return STATUS
        .matcher(answers)
        .results()
        .map((MatchResult each) -> Integer.valueOf(each.group(1)))
        .toList();
  }

  @Test
  void answersEachRequestInOrder() throws IOException {
    StringBuilder requests = new StringBuilder();
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      requests.append(LIVE).append(UNKNOWN).append(check()).append(NO_BODY);
      requests.append(slot("pipelined-" + i)).append(wrong(i * 10));
      Collections.addAll(expected, 200, 404, 200, 200, 200, 415);
    }
    requests.append("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expected.add(200);
    assertThat(statuses(RawHttp.exchange(node.address(), requests.toString()))).isEqualTo(expected);
  }

  @Test
  void answersAllRequestsOfAClientThatHasClosedItsSendingSide() throws IOException {
    try (RawHttp raw = new RawHttp(node.address())) {
      raw.send((LIVE + UNKNOWN + check()).repeat(20));
      raw.endSending();
      assertThat(statuses(raw.readAll()))
          .isEqualTo(
              Collections.nCopies(20, List.of(200, 404, 200)).stream()
                  .flatMap(List::stream)
                  .toList());
    }
  }

  @Test
  void closesBehindTheLastWholeRequestOfAClientThatHasClosedItsSendingSide() throws IOException {
    try (RawHttp raw = new RawHttp(node.address())) {
      raw.send(UNKNOWN.repeat(20) + "GET /health");
      raw.endSending();
      assertThat(statuses(raw.readAll())).isEqualTo(Collections.nCopies(20, 404));
    }
  }

  @Test
  void answersLargeResponsesThatAreReadLate() throws IOException {
    try (RawHttp raw = new RawHttp(node.address());
        ExecutorService sender = Executors.newVirtualThreadPerTaskExecutor()) {
      String request = "GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n";
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  raw.send(
                      request.repeat(100)
                          + request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              },
              sender);
      // Others are served while nobody reads these responses.
      for (int i = 0; i < 10; i++) {
        node.http().get("/health/ready").ok();
      }
      String answers = raw.readAll();
      sent.join();
      assertThat(statuses(answers)).isEqualTo(Collections.nCopies(101, 200));
    }
  }

  @Test
  void answersRequestsThatArriveByteByByte() throws IOException {
    try (RawHttp raw = new RawHttp(node.address())) {
      for (byte each : (LIVE + check() + UNKNOWN).getBytes(StandardCharsets.US_ASCII)) {
        raw.send(new byte[] {each});
      }
      raw.send(LIVE.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
      assertThat(statuses(raw.readAll())).isEqualTo(List.of(200, 200, 404, 200));
    }
  }
}
