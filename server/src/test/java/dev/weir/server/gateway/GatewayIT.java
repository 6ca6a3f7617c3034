package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.routes.internal.RouteSpec;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests reach the upstream, and its responses reach the client. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class GatewayIT {
  @Test
  void passesRequestsAndAnswers() throws Exception {
    try (TestUpstream upstream = echo();
        TestGateway gateway = new TestGateway(upstream.address())) {
      Http.Answer answer =
          gateway
              .http()
              .with("X-Mine", "1")
              .send("POST", "/a/b?c=d%20e&f", HttpRequest.BodyPublishers.ofString("hello"));
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).isEqualTo("hello");
      assertThat(upstream.lastHead()).startsWith("POST /a/b?c=d%20e&f HTTP/1.1\r\n");
      assertThat(TestUpstream.field(upstream.lastHead(), "x-mine")).hasValue("1");
      assertThat(TestUpstream.field(upstream.lastHead(), "content-length")).hasValue("5");
    }
  }

  /** Sends back the body that it gets. */
  private static TestUpstream echo() throws IOException {
    return new TestUpstream(
        (head, in, out) -> {
          byte[] body = in.readNBytes((int) TestUpstream.length(head));
          return TestUpstream.say(out, new String(body, StandardCharsets.ISO_8859_1));
        });
  }

  @Test
  void keepsConnectionsToUpstreamsAndAnswersPipelinedRequestsInOrder() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> TestUpstream.say(out, head.substring(4, head.indexOf(" H"))));
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < 50; i++) {
        all.append("GET /r%d HTTP/1.1\r\nHost: shop\r\n\r\n".formatted(i));
      }
      raw.send(all.toString());
      for (int i = 0; i < 50; i++) {
        assertThat(raw.readTo("\r\n\r\n")).startsWith("HTTP/1.1 200 OK");
        assertThat(raw.readTo("/r" + i)).isEqualTo("/r" + i);
      }
      assertThat(upstream.connections()).isOne();
    }
  }

  @Test
  void sendsEachPathWhereItsRouteSaysMostAboutItGoes() throws Exception {
    try (TestUpstream one = new TestUpstream((head, in, out) -> TestUpstream.say(out, "one"));
        TestUpstream two = new TestUpstream((head, in, out) -> TestUpstream.say(out, "two"));
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS,
                RouteSpec.of("/api/**", one.address()),
                RouteSpec.of("/api/orders/**", two.address()))) {
      Http http = gateway.http();
      assertThat(http.get("/api/x").text()).isEqualTo("one");
      assertThat(http.get("/api/orders/1").text()).isEqualTo("two");
      assertThat(http.get("/api/orders/../x").text()).isEqualTo("one");
      http.get("/other").problem(404, "no-route");
      gateway.route("/other", one.address());
      assertThat(http.get("/other").text()).isEqualTo("one");
      gateway.reroute(1, "/other", two.address());
      assertThat(http.get("/other").text()).isEqualTo("two");
    }
  }

  @Test
  void streamsAnswersOfUnknownLength() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    head.contains("/chunked")
                        ? TestUpstream.send(
                            out,
                            """
                            HTTP/1.1 200 OK\r
                            Transfer-Encoding: chunked\r
                            \r
                            3\r
                            abc\r
                            2\r
                            de\r
                            0\r
                            X-Sum: 5\r
                            \r
                            """)
                        : !TestUpstream.send(out, "HTTP/1.1 200 OK\r\n\r\nabcde"));
        TestGateway gateway = new TestGateway(upstream.address())) {
      assertThat(gateway.http().get("/chunked").text()).isEqualTo("abcde");
      assertThat(gateway.http().get("/closed").text()).isEqualTo("abcde");
      // An HTTP/1.0 client does not support chunks: the end of the connection ends the response.
      assertThat(ended(gateway, "GET /chunked HTTP/1.0\r\n\r\n"))
          .doesNotContainIgnoringCase("transfer-encoding")
          .endsWith("\r\n\r\nabcde");
      assertThat(TestUpstream.field(upstream.lastHead(), "host"))
          .hasValue(upstream.address().substring(7));
    }
  }

  private static String ended(TestGateway gateway, String request) throws IOException {
    try (RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(request);
      return raw.readAll();
    }
  }

  @Test
  void answersHeadWithoutABody() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    TestUpstream.send(out, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"));
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      for (int i = 0; i < 2; i++) {
        raw.send("HEAD / HTTP/1.1\r\nHost: shop\r\n\r\n");
        assertThat(raw.readTo("\r\n\r\n")).containsIgnoringCase("content-length: 1000");
      }
      raw.send("HEAD /.%2e%2f HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n");
      assertThat(raw.readAll()).startsWith("HTTP/1.1 400").endsWith("\r\n\r\n");
    }
  }

  @Test
  void passes100ContinueAndEarlyHints() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  TestUpstream.send(out, "HTTP/1.1 100 Continue\r\n\r\n");
                  byte[] body = in.readNBytes(5);
                  TestUpstream.send(out, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
                  return TestUpstream.say(out, new String(body, StandardCharsets.US_ASCII));
                });
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      for (int i = 0; i < 2; i++) {
        raw.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
        assertThat(raw.readTo("\r\n\r\n")).startsWith("HTTP/1.1 100 ");
        raw.send("hello");
        assertThat(raw.readTo("\r\n\r\n")).startsWith("HTTP/1.1 103 ").contains("</a>");
        assertThat(raw.readTo("hello")).startsWith("HTTP/1.1 200 OK");
      }
    }
  }

  /**
   * Such a client may keep its body to itself and send its next request, which would be taken for
   * the body.
   */
  @Test
  void takesNothingForABodyThatAnAnswerMadeNeedless() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
      assertThat(raw.readTo("ok")).startsWith("HTTP/1.1 200 ").contains("connection: close");
      assertThat(raw.readAll()).isEmpty();
    }
  }

  @Test
  void answersAClientThatHasClosedItsSendingSide() throws Exception {
    CountDownLatch isClosed = new CountDownLatch(1);
    String body = "x".repeat(1_000_000);
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  try {
                    isClosed.await();
                  } catch (InterruptedException e) {
                    throw new IOException(e);
                  }
                  return TestUpstream.say(out, body);
                });
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp client = new RawHttp(gateway.address())) {
      client.send("GET / HTTP/1.1\r\nHost: shop\r\n\r\n");
      Waiting.until("the upstream to be asked", () -> !upstream.heads().isEmpty());
      client.endSending();
      isClosed.countDown();
      assertThat(client.readAll()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n" + body);
    }
  }
}
