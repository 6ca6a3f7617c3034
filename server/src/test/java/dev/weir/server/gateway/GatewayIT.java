package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.routes.Route;
import dev.weir.server.rest.Http;
import dev.weir.server.rest.RawHttp;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is asked of the gateway reaches the upstream, and what that says comes back. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class GatewayIT {
  private static final String GET = "GET %s HTTP/1.1\r\nHost: shop\r\n%s\r\n";

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
      assertThat(header(upstream.lastHead(), "x-mine")).hasValue("1");
      assertThat(header(upstream.lastHead(), "content-length")).hasValue("5");
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

  private static Optional<String> header(String head, String name) {
    return head.lines()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst();
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
        all.append(GET.formatted("/r" + i, ""));
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
                TestGateway.Choice.USUAL,
                Route.Terms.of("/api/**", one.address()),
                Route.Terms.of("/api/orders/**", two.address()))) {
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
  void streamsBothWaysWithoutKeepingBodies() throws Exception {
    long length = 3L << 30;
    AtomicLong received = new AtomicLong();
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  byte[] buffer = new byte[1 << 16];
                  TestUpstream.send(
                      out, "HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                  while (received.get() < length) {
                    int read = in.read(buffer);
                    received.addAndGet(read);
                    out.write(buffer, 0, read);
                  }
                  out.flush();
                  return true;
                });
        TestGateway gateway = new TestGateway(upstream.address());
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort())) {
      Thread sender = Thread.ofVirtual().start(() -> sendBody(socket, length));
      InputStream in = socket.getInputStream();
      byte[] buffer = new byte[1 << 16];
      long got = 0;
      int head = 0;
      for (int read = in.read(buffer); got < length && read >= 0; read = in.read(buffer)) {
        if (head == 0) {
          head = new String(buffer, 0, read, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4;
          got -= head;
        }
        got += read;
        if (got == length) {
          break;
        }
      }
      sender.join();
      assertThat(got).isEqualTo(length);
      assertThat(received).hasValue(length);
    }
  }

  private static void sendBody(Socket socket, long length) {
    try {
      OutputStream out = socket.getOutputStream();
      out.write(
          ("POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: " + length + "\r\n\r\n")
              .getBytes(StandardCharsets.ISO_8859_1));
      byte[] piece = new byte[1 << 16];
      for (long sent = 0; sent < length; sent += piece.length) {
        out.write(piece);
      }
      out.flush();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void slowsDownWhoSendsFasterThanTheOtherTakes() throws Exception {
    LinkedBlockingQueue<Long> stuckAt = new LinkedBlockingQueue<>();
    // Neither side reads: what can be written is what sockets and one read hold.
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  if (head.startsWith("POST")) {
                    park();
                  }
                  TestUpstream.send(out, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
                  stuckAt.add(writeUntilStuck(out));
                  return false;
                });
        TestGateway gateway = new TestGateway(upstream.address());
        Socket sending = new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort());
        Socket reading =
            new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort())) {
      sending
          .getOutputStream()
          .write(
              "POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 1000000000\r\n\r\n"
                  .getBytes(StandardCharsets.ISO_8859_1));
      assertThat(writeUntilStuck(sending.getOutputStream())).isLessThan(30_000_000);
      reading.getOutputStream().write(GET.formatted("/", "").getBytes(StandardCharsets.ISO_8859_1));
      assertThat(stuckAt.take()).isLessThan(30_000_000);
    }
  }

  private static long writeUntilStuck(OutputStream out) throws IOException {
    AtomicLong written = new AtomicLong();
    Thread writer =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    byte[] piece = new byte[1 << 16];
                    while (written.get() < 900_000_000) {
                      out.write(piece);
                      written.addAndGet(piece.length);
                    }
                  } catch (IOException e) {
                    // The test is over.
                  }
                });
    long before = -1;
    // Stuck is who does not get on for a while.
    while (written.get() != before && written.get() < 900_000_000) {
      before = written.get();
      sleep(500);
    }
    writer.interrupt();
    return before;
  }

  private static void park() {
    sleep(60_000);
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
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
      // An old client knows no chunks: for it the end of the connection is the end.
      assertThat(ended(gateway, "GET /chunked HTTP/1.0\r\n\r\n"))
          .doesNotContainIgnoringCase("transfer-encoding")
          .endsWith("\r\n\r\nabcde");
      assertThat(header(upstream.lastHead(), "host")).hasValue(upstream.address().substring(7));
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

  @Test
  void passesWebSocketsThrough() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  // A frame may follow at once.
                  TestUpstream.send(
                      out,
                      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                          + "Upgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nfirst");
                  for (int next = in.read(); next >= 0; next = in.read()) {
                    out.write(Character.toUpperCase(next));
                    out.flush();
                  }
                  return false;
                });
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(
          GET.formatted(
              "/ws",
              "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: k\r\n"));
      assertThat(raw.readTo("\r\n\r\n"))
          .startsWith("HTTP/1.1 101 ")
          .containsIgnoringCase("upgrade: websocket")
          .containsIgnoringCase("sec-websocket-accept: x");
      assertThat(upstream.lastHead()).containsIgnoringCase("\r\nconnection: upgrade\r\n");
      assertThat(raw.readTo("first")).isEqualTo("first");
      raw.send("hello");
      assertThat(raw.readTo("HELLO")).isEqualTo("HELLO");
      raw.send("\0\1bye");
      assertThat(raw.readTo("BYE")).isEqualTo("\0\1BYE");
    }
  }

  @Test
  void answersAfterAnUpgradeThatTheUpstreamDoesNotWant() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(GET.formatted("/", "Connection: Upgrade\r\nUpgrade: websocket\r\n"));
      assertThat(raw.readTo("ok")).startsWith("HTTP/1.1 200 OK");
      raw.send(
          GET.formatted(
              "/",
              "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n"));
      raw.readTo("ok");
      assertThat(upstream.lastHead().toLowerCase(Locale.ROOT))
          .doesNotContain("upgrade")
          .doesNotContain("h2c")
          .doesNotContain("http2-settings");
    }
  }

  @Test
  void removesWhatIsMeantForOneHopOnly() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    TestUpstream.send(
                        out,
                        "HTTP/1.1 200 OK\r\nConnection: X-Secret\r\nX-Secret: 1\r\nKeep-Alive: 5\r\n"
                            + "X-Kept: 2\r\nContent-Length: 2\r\n\r\nok"));
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(
          GET.formatted(
              "/",
              """
              Connection: X-Hop, Content-Length, Host\r
              X-Hop: 1\r
              TE: trailers\r
              Keep-Alive: 5\r
              Proxy-Connection: x\r
              Proxy-Authorization: x\r
              X-Kept: 2\r
              """));
      assertThat(raw.readTo("\r\n\r\nok").toLowerCase(Locale.ROOT))
          .doesNotContain("x-secret")
          .doesNotContain("keep-alive")
          .contains("x-kept: 2")
          .contains("via: 1.1 weir");
      assertThat(upstream.lastHead().toLowerCase(Locale.ROOT))
          .contains("host: shop")
          .contains("x-kept: 2")
          .contains("via: 1.1 weir")
          .doesNotContain("x-hop")
          .doesNotContain("\nte:")
          .doesNotContain("keep-alive")
          .doesNotContain("proxy-");
    }
  }

  @Test
  void believesOnlyTrustedProxies() throws Exception {
    String forged =
        """
        Forwarded: for=6.6.6.6\r
        X-Forwarded-For: 6.6.6.6\r
        X_Forwarded_For: 6.6.6.6\r
        X-Real-IP: 6.6.6.6\r
        X-Forwarded-Host: evil\r
        X-Forwarded-Proto: https\r
        X-Original-URL: /admin\r
        X-Request-Id: mine\r
        """;
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address());
        TestGateway trusting =
            new TestGateway(TestGateway.Choice.USUAL.trusting("127.0.0.0/8"), upstream.address())) {
      try (RawHttp raw = new RawHttp(gateway.address())) {
        raw.send(GET.formatted("/", forged));
        String answer = raw.readTo("ok");
        String head = upstream.lastHead();
        assertThat(head).doesNotContain("6.6.6.6").doesNotContain("evil").doesNotContain("/admin");
        assertThat(header(head, "forwarded")).hasValue("for=127.0.0.1;host=\"shop\";proto=http");
        assertThat(header(head, "x-forwarded-for")).hasValue("127.0.0.1");
        assertThat(header(head, "x-forwarded-host")).hasValue("shop");
        assertThat(header(head, "x-forwarded-proto")).hasValue("http");
        String id = header(head, "x-request-id").orElseThrow();
        assertThat(id).matches("[0-9a-f]{32}");
        assertThat(header(answer, "x-request-id")).hasValue(id);
      }
      try (RawHttp raw = new RawHttp(trusting.address())) {
        raw.send(GET.formatted("/", forged));
        String answer = raw.readTo("ok");
        String head = upstream.lastHead();
        assertThat(header(head, "forwarded"))
            .hasValue("for=6.6.6.6, for=127.0.0.1;host=\"shop\";proto=http");
        assertThat(header(head, "x-forwarded-for")).hasValue("6.6.6.6, 127.0.0.1");
        assertThat(header(head, "x-forwarded-host")).hasValue("evil");
        assertThat(header(head, "x-forwarded-proto")).hasValue("https");
        assertThat(header(answer, "x-request-id")).hasValue("mine");
      }
    }
  }
}
