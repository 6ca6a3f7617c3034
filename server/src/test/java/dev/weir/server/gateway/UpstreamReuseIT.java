package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.rules.Rule;
import dev.weir.rules.spec.Quota;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connection to an upstream is used again only if exactly one response came through it: whatever
 * follows would be taken for the response to the request of another client.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class UpstreamReuseIT {
  private static final String OTHER = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final String REQUEST = "%s %s HTTP/1.1\r\nHost: shop\r\n\r\n";

  /** One upstream connection, so that the next request waits for it. */
  private static final TestGateway.Choice SINGLE =
      TestGateway.Choice.DEFAULTS.bounds(GatewaySettings.Bounds.DEFAULT.withUpstreamConnections(1));

  /** Responds to the path {@code /mine} with "mine", to all others with the given bytes. */
  private static TestUpstream upstream(String response) throws IOException {
    return new TestUpstream(
        (head, in, out) ->
            head.contains(" /mine ")
                ? TestUpstream.say(out, "mine")
                : TestUpstream.send(out, response));
  }

  /** Sends a request and, without waiting for the response, another one; returns both responses. */
  private static String pipelined(TestGateway gateway, String method) throws IOException {
    return RawHttp.exchange(
        gateway.address(),
        REQUEST.formatted(method, "/first")
            + "GET /mine HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n");
  }

  /** Asserts that the second request is answered on a connection of its own. */
  private static void closes(String method, String response) throws IOException {
    try (TestUpstream upstream = upstream(response);
        TestGateway single = new TestGateway(SINGLE, upstream.address());
        TestGateway gateway = new TestGateway(upstream.address())) {
      assertThat(pipelined(single, method))
          .as(response)
          .doesNotContain("POISON")
          .endsWith("\r\n\r\nmine");
      assertThat(upstream.connections()).as(response).isEqualTo(2);
      assertThat(pipelined(gateway, method))
          .as(response)
          .doesNotContain("POISON")
          .endsWith("\r\n\r\nmine");
    }
  }

  /** Asserts that the second request is answered on the same connection. */
  private static void keeps(String method, String response) throws IOException {
    try (TestUpstream upstream = upstream(response);
        TestGateway single = new TestGateway(SINGLE, upstream.address())) {
      assertThat(pipelined(single, method)).as(response).endsWith("\r\n\r\nmine");
      assertThat(upstream.connections()).as(response).isOne();
    }
  }

  @Test
  void aConnectionIsKeptAfterAResponseOfTheRightLength() throws IOException {
    keeps("GET", OK);
    keeps("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    keeps("GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
    keeps("GET", "HTTP/1.1 103 Early Hints\r\nContent-Length: 6\r\n\r\n" + OK);
    keeps("GET", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n");
    keeps("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\n");
    keeps("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n");
    keeps("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    keeps("HEAD", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n");
  }

  @Test
  void aConnectionIsClosedAfterABodyThatMustNotBe() throws IOException {
    String chunks = "Transfer-Encoding: chunked\r\n\r\n6\r\nPOISON\r\n0\r\n\r\n";
    closes("HEAD", OTHER);
    closes("HEAD", "HTTP/1.1 200 OK\r\n" + chunks);
    closes("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: " + OTHER.length() + "\r\n\r\n" + OTHER);
    closes("HEAD", "HTTP/1.1 103 Early Hints\r\n\r\n" + OTHER);
    closes("GET", "HTTP/1.1 204 No Content\r\n" + chunks);
    closes("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 6\r\n\r\nPOISON");
    closes("GET", "HTTP/1.1 304 Not Modified\r\n" + chunks);
    closes("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 45\r\n\r\n" + OTHER);
  }

  @Test
  void aConnectionIsClosedAfterMoreThanItsResponse() throws IOException {
    closes("GET", OK + OTHER);
    closes("GET", OK + OTHER + OTHER);
    closes("GET", OK + "POISON");
    closes("GET", OK + "\r\n");
    closes("GET", OK + "H");
    closes("GET", OK + "HTTP/1.1 100 Continue\r\n\r\n");
    closes("GET", OK + "HTTP/1.1 200 OK\r\nX-Poison: ");
    closes(
        "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n0\r\n\r\n" + OTHER);
    closes("GET", "HTTP/1.1 103 Early Hints\r\n\r\n" + OK + OTHER);
    closes(
        "GET", "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + "x".repeat(300_000) + OTHER);
  }

  /** Programs disagree about where such a response ends (RFC 9112, 6.1). */
  @Test
  void aConnectionIsClosedAfterAResponseOfTwoLengths() throws IOException {
    String chunks = "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    closes("GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + chunks);
    closes("GET", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + chunks);
  }

  @Test
  void aConnectionIsClosedAfterAnUpgradeThatWasNotAskedFor() throws IOException {
    String upgrade = "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    try (TestUpstream upstream = upstream(upgrade + OTHER);
        TestGateway single = new TestGateway(SINGLE, upstream.address())) {
      assertThat(pipelined(single, "GET"))
          .startsWith("HTTP/1.1 502 ")
          .doesNotContain("POISON")
          .endsWith("\r\n\r\nmine");
      assertThat(upstream.connections()).isEqualTo(2);
    }
  }

  @Test
  void anIdleConnectionIsClosedWhenAnythingArrives() throws Exception {
    for (String surplus : List.of("\r\n", "H", "HTTP/1.1 200 OK\r\nX-Poison: ", OTHER)) {
      CompletableFuture<Void> isRead = new CompletableFuture<>();
      CompletableFuture<Integer> next = new CompletableFuture<>();
      try (TestUpstream upstream =
              new TestUpstream(
                  (head, in, out) -> {
                    if (head.contains(" /mine ")) {
                      return TestUpstream.say(out, "mine");
                    }
                    TestUpstream.say(out, "ok");
                    isRead.join();
                    TestUpstream.send(out, surplus);
                    next.complete(in.read());
                    return false;
                  });
          TestGateway single = new TestGateway(SINGLE, upstream.address());
          RawHttp raw = new RawHttp(single.address())) {
        raw.send(REQUEST.formatted("GET", "/first"));
        raw.readTo("ok");
        isRead.complete(null);
        assertThat(next.get(4, TimeUnit.MINUTES)).as(surplus).isEqualTo(-1);
        raw.send(REQUEST.formatted("GET", "/mine"));
        assertThat(raw.readTo("mine")).as(surplus).endsWith("\r\n\r\nmine");
      }
    }
  }

  @Test
  void aRequestThatGetsTheSurplusOfAnotherIsAnswered502() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    TestUpstream.send(
                        out, head.contains("/second") ? "POISON\r\n\r\n" + OTHER : OK));
        TestGateway single = new TestGateway(SINGLE, upstream.address());
        RawHttp raw = new RawHttp(single.address())) {
      raw.send(REQUEST.formatted("GET", "/first"));
      raw.readTo("ok");
      raw.send(REQUEST.formatted("GET", "/second"));
      assertThat(raw.readTo("}")).startsWith("HTTP/1.1 502 ").contains("upstream-failed");
      raw.send(REQUEST.formatted("GET", "/third"));
      assertThat(raw.readTo("ok")).startsWith("HTTP/1.1 200 ").doesNotContain("POISON");
      assertThat(upstream.connections()).isEqualTo(2);
    }
  }

  @Test
  void clientsThatWaitForAConnectionGetTheirOwnResponses() throws Exception {
    int clients = 8 * Runtime.getRuntime().availableProcessors();
    CountDownLatch areWaiting = new CountDownLatch(1);
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  await(areWaiting);
                  String path = head.split(" ", 3)[1];
                  return TestUpstream.send(
                      out,
                      "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
                              .formatted(path.length(), path)
                          + OTHER);
                });
        TestGateway single = new TestGateway(SINGLE, upstream.address())) {
      Rule rule =
          single.rule(
              "/**",
              new Quota.Concurrent(Concurrency.of(clients, Duration.ofMinutes(5))),
              spec -> spec);
      List<RawHttp> raws = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        RawHttp raw = new RawHttp(single.address());
        raw.send("GET /c%d HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n".formatted(i));
        raws.add(raw);
      }
      Waiting.until("all requests", () -> single.leases(rule, "127.0.0.1") == clients);
      areWaiting.countDown();
      for (int i = 0; i < clients; i++) {
        try (RawHttp raw = raws.get(i)) {
          assertThat(raw.readAll()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n/c" + i);
        }
      }
    }
  }

  @Test
  void noMoreConnectionsAreOpenedThanTheMaxWhateverTheNumberOfEventLoops() throws Exception {
    int loops = Runtime.getRuntime().availableProcessors();
    for (int max : new int[] {1, loops + 1, 2 * loops + 1}) {
      int clients = 4 * max + 4 * loops;
      CountDownLatch areWaiting = new CountDownLatch(1);
      try (TestUpstream upstream =
              new TestUpstream(
                  (head, in, out) -> {
                    await(areWaiting);
                    return TestUpstream.say(out, "ok");
                  });
          TestGateway gateway =
              new TestGateway(
                  TestGateway.Choice.DEFAULTS.bounds(
                      GatewaySettings.Bounds.DEFAULT.withUpstreamConnections(max)),
                  upstream.address())) {
        List<RawHttp> raws = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
          RawHttp raw = new RawHttp(gateway.address());
          raw.send(REQUEST.formatted("GET", "/c" + i));
          raws.add(raw);
        }
        Waiting.until("all to be connected", () -> gateway.gateway().count() == clients);
        Waiting.until("the connections to be in use", () -> upstream.heads().size() >= max);
        areWaiting.countDown();
        for (RawHttp raw : raws) {
          assertThat(raw.readTo("ok")).startsWith("HTTP/1.1 200 ");
          raw.close();
        }
        assertThat(upstream.connections()).as("of %s", max).isEqualTo(max);
      }
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void aConnectionIsClosedWhenTheResponseComesBeforeTheEndOfTheRequest() throws Exception {
    try (TestUpstream upstream = upstream(OK);
        TestGateway single = new TestGateway(SINGLE, upstream.address());
        RawHttp raw = new RawHttp(single.address())) {
      raw.send("POST /early HTTP/1.1\r\nHost: shop\r\nContent-Length: 10\r\n\r\nhello");
      raw.readTo("ok");
      raw.send("world" + REQUEST.formatted("GET", "/mine"));
      assertThat(raw.readTo("mine")).startsWith("HTTP/1.1 200 ");
      assertThat(upstream.lastHead()).startsWith("GET /mine ");
      assertThat(upstream.connections()).isEqualTo(2);
    }
  }
}
