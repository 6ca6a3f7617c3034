package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.faults.Relay;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Upstreams may speak HTTP/1.1 or HTTP/2, with or without TLS. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class GatewayProtocolsIT {
  /** A response without progress for this many polls is stuck. */
  private static final int STUCK_LOOKS = 15;

  private static TestCertificate certificate;

  @BeforeAll
  static void certify(@TempDir Path folder) throws Exception {
    certificate = TestCertificate.create(folder);
  }

  /** TCP notices it after minutes, as behind an address translation that has forgotten it. */
  @Test
  void requestThatTimesOutOnSilentHttp2ConnectionIsTheLastOnIt() throws Exception {
    GatewaySettings.Times impatient =
        new GatewaySettings.Times(
            TestGateway.LONG,
            TestGateway.LONG,
            TestGateway.LONG,
            Duration.ofSeconds(2),
            Duration.ofMillis(1500));
    try (Http2Upstream upstream = new Http2Upstream(Optional.empty());
        Relay relay = new Relay(upstream.port());
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS.times(impatient), "h2c://127.0.0.1:" + relay.port())) {
      Waiting.until("a connection", () -> gateway.http().get("/").status() == 200);

      // Again if the gateway has closed the connection as idle before it was silent.
      Waiting.until(
          "a request on a silent connection",
          () -> {
            relay.silence();
            return gateway.http().get("/").status() == 504;
          });
      Waiting.until("another connection", () -> gateway.http().get("/").status() == 200);
    }
  }

  @Test
  void speaksHttp2InTheClear() throws Exception {
    try (Http2Upstream upstream = new Http2Upstream(Optional.empty());
        TestGateway gateway = new TestGateway("h2c://127.0.0.1:" + upstream.port())) {
      Http.Answer answer = gateway.http().get("/a?b=c");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.headers().firstValue("x-path")).hasValue("/a?b=c");
      assertThat(answer.headers().map().keySet())
          .as("how the gateway reads HTTP/2 does not concern its clients")
          .noneMatch(name -> name.startsWith("x-http2-"));
      assertThat(upstream.last().headers().get("x-forwarded-for")).isEqualTo("127.0.0.1");
      assertThat(upstream.last().headers().get("host"))
          .isEqualTo("127.0.0.1:" + gateway.address().getPort());
      byte[] large = new byte[20_000_000];
      large[19_999_999] = 7;
      assertThat(
              gateway
                  .http()
                  .send("POST", "/", HttpRequest.BodyPublishers.ofByteArray(large))
                  .body())
          .isEqualTo(large);
    }
  }

  /** A stream ends with its response, so nothing of it can reach another request. */
  @Test
  void aBodyThatMustNotBeEndsWithItsStream() throws Exception {
    try (Http2Upstream upstream = new Http2Upstream(Optional.empty(), Http2Upstream::superfluous);
        TestGateway gateway = new TestGateway("h2c://127.0.0.1:" + upstream.port());
        RawHttp raw = new RawHttp(gateway.address())) {
      for (String first : List.of("HEAD /", "GET /204", "GET /304", "HEAD /204")) {
        raw.send(first + " HTTP/1.1\r\nHost: shop\r\n\r\nPOST /body HTTP/1.1\r\nHost: shop\r\n");
        raw.send("Content-Length: 4\r\n\r\nmine");
        assertThat(raw.readTo("mine\r\n0\r\n\r\n"))
            .as(first)
            .doesNotContain("POISON")
            .containsPattern("\r\n\r\nHTTP/1.1 200 OK\r\nx-path: /body\r\n");
      }
      assertThat(upstream.connections()).isOne();
    }
  }

  /** It takes no stream, so no request can find out that it is silent. */
  @Test
  void connectionOnWhichTheUpstreamSaysNothingIsGivenUp() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    GatewaySettings.Times impatient =
        new GatewaySettings.Times(
            TestGateway.LONG,
            TestGateway.LONG,
            TestGateway.SHORT,
            TestGateway.LONG,
            TestGateway.LONG);
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  in.transferTo(OutputStream.nullOutputStream());
                  closed.countDown();
                  return false;
                });
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS.times(impatient),
                upstream.address().replace("http:", "h2c:"))) {
      gateway.http().get("/").problem(504, "upstream-timeout");
      closed.await();
    }
  }

  /** An upstream may leave it to its client to close, and says goodbye once a minute or so. */
  @Test
  void connectionThatTakesNoMoreRequestsIsClosed() throws Exception {
    try (Http2Upstream upstream = new Http2Upstream(Optional.empty());
        TestGateway gateway = new TestGateway("h2c://127.0.0.1:" + upstream.port())) {
      assertThat(gateway.http().get("/").status()).isEqualTo(200);
      upstream.goAway();
      Waiting.until("a close", () -> upstream.open() == 0);
      assertThat(gateway.http().get("/").status()).isEqualTo(200);
    }
  }

  /** Its client would take the beginning of the next response for the body that is missing. */
  @Test
  void responseThatEndsWithoutTheBodyItAnnouncesIsBroken() throws Exception {
    try (Http2Upstream upstream = new Http2Upstream(Optional.empty(), Http2Upstream::bodiless);
        TestGateway gateway = new TestGateway("h2c://127.0.0.1:" + upstream.port());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send("HEAD / HTTP/1.1\r\nHost: shop\r\n\r\n");
      assertThat(raw.readTo("\r\n\r\n")).startsWith("HTTP/1.1 200 ");
      raw.send("GET /304 HTTP/1.1\r\nHost: shop\r\n\r\n");
      assertThat(raw.readTo("\r\n\r\n")).startsWith("HTTP/1.1 304 ");
      raw.send("GET / HTTP/1.1\r\nHost: shop\r\n\r\n");
      assertThat(raw.readTo("\r\n\r\n")).startsWith("HTTP/1.1 502 ");
      raw.readTo("}");
      raw.send("GET /later HTTP/1.1\r\nHost: shop\r\n\r\n");
      // By a reset, not an end: the head may have been sent.
      assertThatThrownBy(raw::readAll).isInstanceOf(SocketException.class);
    }
  }

  /** All other reasons leave open whether the upstream has worked on the request. */
  @Test
  void asksOnceMoreOnlyWhatAnHttp2UpstreamHasRefused() throws Exception {
    try (Http2Upstream upstream = new Http2Upstream(Optional.empty());
        TestGateway gateway = new TestGateway("h2c://127.0.0.1:" + upstream.port())) {
      for (Http2Error reason : List.of(Http2Error.CANCEL, Http2Error.INTERNAL_ERROR)) {
        String path = Http2Upstream.RESET + reason;
        gateway.http().get(path).problem(502, "upstream-failed");
        assertThat(upstream.count(path)).as(path).isOne();
      }
      String refused = Http2Upstream.RESET + Http2Error.REFUSED_STREAM;
      gateway.http().get(refused).problem(502, "upstream-failed");
      assertThat(upstream.count(refused)).isEqualTo(2);
    }
  }

  /** More than the sockets hold, of a response that is not read, and nothing of it ever ends. */
  @Test
  void aClientThatDoesNotReadStopsNoOtherOnTheSameConnection() throws Exception {
    byte[] much = new byte[60_000_000];
    try (Http2Upstream upstream =
            new Http2Upstream(
                Optional.empty(),
                request ->
                    new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.OK,
                        request.uri().equals("/much")
                            ? Unpooled.wrappedBuffer(much)
                            : Unpooled.copiedBuffer("little", StandardCharsets.US_ASCII)));
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS.bounds(
                    GatewaySettings.Bounds.DEFAULT.withUpstreamConnections(1)),
                "h2c://127.0.0.1:" + upstream.port());
        RawHttp unread = new RawHttp(gateway.address());
        RawHttp other = new RawHttp(gateway.address())) {
      unread.send("GET /much HTTP/1.1\r\nHost: shop\r\n\r\n");
      unread.readTo("\r\n\r\n");
      AtomicLong before = new AtomicLong();
      AtomicInteger same = new AtomicInteger();
      Waiting.until(
          "the response to stop",
          () -> {
            long now = upstream.written();
            boolean isStuck = now == before.getAndSet(now);
            return (isStuck ? same.incrementAndGet() : same.getAndSet(0)) == STUCK_LOOKS;
          });
      assertThat(upstream.written()).isLessThan(much.length);
      other.send("GET / HTTP/1.1\r\nHost: shop\r\n\r\n");
      assertThat(other.readTo("little")).startsWith("HTTP/1.1 200 ");
      assertThat(upstream.connections()).isOne();
    }
  }

  @Test
  void opensNoMoreStreamsThanTheUpstreamTakes() throws Exception {
    try (Http2Upstream upstream = new Http2Upstream(Optional.empty());
        TestGateway gateway = new TestGateway("h2c://127.0.0.1:" + upstream.port());
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<String>> many = new ArrayList<>();
      for (int i = 0; i < 20 * Http2Upstream.MAX_STREAMS; i++) {
        String body = "body " + i;
        many.add(
            () ->
                gateway.http().send("POST", "/", HttpRequest.BodyPublishers.ofString(body)).text());
      }
      int i = 0;
      for (Future<String> each : callers.invokeAll(many)) {
        assertThat(each.get()).isEqualTo("body " + i++);
      }
      assertThat(upstream.connections())
          .isLessThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }
  }

  @Test
  void answers502WhereTheUpstreamSpeaksOnlyHttp1() throws Exception {
    try (TestUpstream upstream = new TestUpstream((head, in, out) -> false);
        TestGateway gateway = new TestGateway(upstream.address().replace("http:", "h2c:"))) {
      gateway.http().get("/").problem(502, "upstream-unreachable");
      assertThat(upstream.connections()).isOne();
    }
  }

  @Test
  void speaksHttp2ThroughTlsToThoseItTrusts() throws Exception {
    try (Http2Upstream upstream = new Http2Upstream(Optional.of(http2()));
        TestGateway trusting =
            new TestGateway(Optional.of(certificate.file()), "h2://localhost:" + upstream.port());
        TestGateway doubting = new TestGateway("h2://localhost:" + upstream.port());
        TestGateway misled =
            new TestGateway(Optional.of(certificate.file()), "h2://127.0.0.1:" + upstream.port())) {
      assertThat(trusting.http().get("/a").status()).isEqualTo(200);
      refusesTls(doubting);
      // A certificate of another name.
      refusesTls(misled);
    }
  }

  private static void refusesTls(TestGateway gateway) {
    assertThat(gateway.http().get("/a").problem(502, "upstream-unreachable").textAt("detail"))
        .contains("TLS failed")
        .doesNotContain("localhost")
        .doesNotContain("127.0.0.1")
        .doesNotContain("Exception");
  }

  private static SslContext http2() throws Exception {
    return SslContextBuilder.forServer(certificate.keys())
        .sslProvider(SslProvider.JDK)
        .applicationProtocolConfig(
            new ApplicationProtocolConfig(
                ApplicationProtocolConfig.Protocol.ALPN,
                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                ApplicationProtocolNames.HTTP_2))
        .build();
  }

  @Test
  void speaksHttp1ThroughTlsToThoseItTrusts() throws Exception {
    try (TestUpstream upstream = http1();
        TestGateway trusting =
            new TestGateway(
                Optional.of(certificate.file()), "https://localhost:" + upstream.port());
        TestGateway doubting = new TestGateway("https://localhost:" + upstream.port());
        TestGateway misled =
            new TestGateway(
                Optional.of(certificate.file()), "https://127.0.0.1:" + upstream.port())) {
      byte[] large = new byte[2_000_000];
      large[1_999_999] = 7;
      for (int i = 0; i < 3; i++) {
        assertThat(
                trusting
                    .http()
                    .send("POST", "/a", HttpRequest.BodyPublishers.ofByteArray(large))
                    .body())
            .isEqualTo(large);
      }
      assertThat(upstream.lastHead()).startsWith("POST /a HTTP/1.1\r\n");
      int before = upstream.heads().size();
      refusesTls(doubting);
      refusesTls(misled);
      assertThat(upstream.heads()).hasSize(before);
    }
  }

  @Test
  void answers502WhereTlsIsAgreedOnButNotHttp2() throws Exception {
    try (TestUpstream upstream = http1();
        TestGateway gateway =
            new TestGateway(Optional.of(certificate.file()), "h2://localhost:" + upstream.port())) {
      gateway.http().get("/a").problem(502, "upstream-unreachable");
      assertThat(upstream.heads()).noneMatch(head -> head.contains("/a"));
    }
  }

  /** Anyone on the way can close a connection, but only the upstream can say so in TLS. */
  @Test
  void neverEndsABodyOfUnknownLengthByACloseThatTlsDoesNotAnnounce() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    AtomicReference<Socket> below = new AtomicReference<>();
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(certificate.keys().getKeyManagers(), null, null);
    ServerSocket server =
        new ServerSocket(0, 50, InetAddress.getLoopbackAddress()) {
          @Override
          public Socket accept() throws IOException {
            Socket accepted = super.accept();
            below.set(accepted);
            return tls.getSocketFactory().createSocket(accepted, null, true);
          }
        };
    try (TestUpstream upstream =
            new TestUpstream(
                server,
                (head, in, out) -> {
                  TestUpstream.send(out, "HTTP/1.1 200 OK\r\n\r\nhello");
                  TestUpstream.await(read);
                  below.get().close();
                  return false;
                });
        TestGateway gateway =
            new TestGateway(
                Optional.of(certificate.file()), "https://localhost:" + upstream.port());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send("GET / HTTP/1.1\r\nHost: shop\r\n\r\n");
      raw.readTo("hello\r\n");
      read.countDown();
      assertThatThrownBy(() -> raw.readTo("0\r\n\r\n")).isInstanceOf(SocketException.class);
    }
  }

  /** Speaks TLS without offering other protocols; sends back what it receives. */
  private static TestUpstream http1() throws Exception {
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(certificate.keys().getKeyManagers(), null, null);
    return new TestUpstream(
        tls.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress()),
        (head, in, out) -> {
          byte[] body = in.readNBytes((int) TestUpstream.length(head));
          TestUpstream.send(out, "HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n");
          out.write(body);
          out.flush();
          return true;
        });
  }
}
