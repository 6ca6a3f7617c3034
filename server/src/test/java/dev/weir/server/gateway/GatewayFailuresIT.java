package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Upstreams that fail. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class GatewayFailuresIT {
  private static final int ROUNDS = Integer.getInteger("weir.faults.rounds", 1);
  private static final String GET = "GET %s HTTP/1.1\r\nHost: shop\r\n\r\n";
  private static final String TOO_LARGE =
      "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig";

  @Test
  void answers502ForUpstreamsThatAreNotThere() throws Exception {
    // Bound, so that no other process gets the port, but not listening.
    try (Socket bound = new Socket()) {
      bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (TestGateway gateway = new TestGateway("http://127.0.0.1:" + bound.getLocalPort())) {
        Http.Answer answer = gateway.http().get("/");
        answer.problem(502, "upstream-unreachable");
        assertThat(answer.text())
            .doesNotContain(String.valueOf(bound.getLocalPort()))
            .doesNotContain("127.0.0.1");
      }
    }
    // A label may not be that long, so no name server is queried, which may not respond here.
    try (TestGateway gateway = new TestGateway("http://" + "x".repeat(64) + ".invalid:80")) {
      gateway.http().get("/").problem(502, "upstream-unreachable");
    }
  }

  @Test
  void answers502ForNonsense() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream((head, in, out) -> !TestUpstream.send(out, "SSH-2.0-x\r\n\r\n"));
        TestGateway gateway = new TestGateway(upstream.address())) {
      gateway.http().get("/").problem(502, "upstream-failed");
    }
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    !TestUpstream.send(out, "HTTP/1.1 200 OK\r\nX: " + "x".repeat(20_000)));
        TestGateway gateway = new TestGateway(upstream.address())) {
      gateway.http().get("/").problem(502, "upstream-failed");
    }
    // The client has not requested another protocol.
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    TestUpstream.send(
                        out,
                        "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"));
        TestGateway gateway = new TestGateway(upstream.address())) {
      gateway.http().get("/").problem(502, "upstream-failed");
    }
  }

  @Test
  void answers502ForAStatusOrAVersionThatHttp1DoesNotHave() throws Exception {
    for (String line :
        List.of(
            "HTTP/1.1 0 x",
            "HTTP/1.1 99 x",
            "HTTP/1.1 600 x",
            "HTTP/1.1 999 x",
            "HTTP/1.1 1000 x",
            "HTTP/1.1 -1 x",
            "HTTP/0.9 200 OK",
            "HTTP/2.0 200 OK",
            "HTTP/11.1 200 OK",
            "RTSP/1.0 200 OK",
            "HHTTP/1.1 200 OK",
            "ICY 200 OK")) {
      try (TestUpstream upstream =
              new TestUpstream(
                  (head, in, out) ->
                      TestUpstream.send(out, line + "\r\nContent-Length: 2\r\n\r\nok"));
          TestGateway gateway = new TestGateway(upstream.address())) {
        assertThat(gateway.http().get("/").problem(502, "upstream-failed").text())
            .as(line)
            .contains("not valid HTTP");
      }
    }
    for (String line : List.of("HTTP/1.0 200 OK", "HTTP/1.1 200", "HTTP/1.1 599 x")) {
      try (TestUpstream upstream =
              new TestUpstream(
                  (head, in, out) ->
                      TestUpstream.send(out, line + "\r\nContent-Length: 2\r\n\r\nok"));
          TestGateway gateway = new TestGateway(upstream.address())) {
        assertThat(gateway.http().get("/").text()).as(line).isEqualTo("ok");
      }
    }
  }

  @Test
  void answers502ForTransferEncodingsThatWereNotAskedFor() throws Exception {
    String chunk = "\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    for (String encoding :
        List.of(
            "gzip, chunked",
            "gzip",
            "chunked, gzip",
            "identity",
            "chunked, chunked",
            "gzip\r\nTransfer-Encoding: chunked")) {
      try (TestUpstream upstream =
              new TestUpstream(
                  (head, in, out) ->
                      !TestUpstream.send(
                          out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + encoding + chunk));
          TestGateway gateway = new TestGateway(upstream.address())) {
        gateway.http().get("/").problem(502, "upstream-failed");
      }
    }
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    TestUpstream.send(
                        out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked" + chunk));
        TestGateway gateway = new TestGateway(upstream.address())) {
      assertThat(gateway.http().get("/").text()).isEqualTo("hello");
    }
  }

  @Test
  void answers504ForUpstreamsThatDoNotAnswer() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  in.read();
                  return false;
                });
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS.times(
                    new GatewaySettings.Times(
                        TestGateway.LONG,
                        TestGateway.LONG,
                        TestGateway.LONG,
                        TestGateway.SHORT,
                        TestGateway.LONG)),
                upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(GET.formatted("/"));
      assertThat(raw.readTo("}")).startsWith("HTTP/1.1 504 Gateway Timeout");
      Waiting.until("the upstream to have read it", () -> upstream.heads().size() == 1);
      // The connection of the client can be used further.
      raw.send(GET.formatted("/.."));
      assertThat(raw.readTo("}")).startsWith("HTTP/1.1 504 Gateway Timeout");
    }
  }

  @Test
  void answers408ToBodiesThatStandStill() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  in.skipNBytes(TestUpstream.length(head));
                  return TestUpstream.say(out, "ok");
                });
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS.times(TestGateway.SOON_IDLE), upstream.address())) {
      AtomicReference<String> answer = new AtomicReference<>("");
      // A connection on which no request arrives in time is closed without an answer.
      Waiting.until(
          "an answer",
          () -> {
            answer.set(
                RawHttp.exchange(
                    gateway.address(),
                    "POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\nhello"));
            return !answer.get().isEmpty();
          });
      assertThat(answer.get())
          .startsWith("HTTP/1.1 408 ")
          .contains("connection: close")
          .contains("request-timeout");
    }
  }

  @Test
  void answers504WhenAllConnectionsToTheUpstreamAreInUse() throws Exception {
    GatewaySettings.Bounds few = GatewaySettings.Bounds.DEFAULT.withUpstreamConnections(1);
    int loops = Runtime.getRuntime().availableProcessors();
    AtomicInteger busy = new AtomicInteger();
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  busy.incrementAndGet();
                  in.read();
                  return false;
                });
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS
                    .bounds(few)
                    .times(
                        new GatewaySettings.Times(
                            TestGateway.LONG,
                            TestGateway.LONG,
                            TestGateway.SHORT,
                            TestGateway.LONG,
                            TestGateway.LONG)),
                upstream.address())) {
      List<RawHttp> clients = new ArrayList<>();
      for (int i = 0; i <= loops; i++) {
        RawHttp client = new RawHttp(gateway.address());
        client.send(GET.formatted("/"));
        clients.add(client);
      }
      List<RawHttp> answered = new ArrayList<>();
      Waiting.until(
          "an answer to the one that is too many for its event loop",
          () -> {
            for (RawHttp client : clients) {
              if (client.isAnswered()) {
                answered.add(client);
              }
            }
            return !answered.isEmpty();
          });
      assertThat(answered.getFirst().readTo("}")).startsWith("HTTP/1.1 504 ");
      assertThat(busy.get()).isLessThanOrEqualTo(loops);
      for (RawHttp client : clients) {
        client.close();
      }
    }
  }

  @Test
  void asksOnceMoreOnlyWhatMayBeAskedTwice() throws Exception {
    // Closes a connection when it is used for the second time, like a server that times it out.
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> head.contains("/first") && TestUpstream.say(out, "ok"));
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(GET.formatted("/first"));
      raw.readTo("ok");
      raw.send(GET.formatted("/second"));
      assertThat(raw.readTo("}")).startsWith("HTTP/1.1 502 ");
      assertThat(upstream.heads().stream().filter(head -> head.contains("/second"))).hasSize(2);
      raw.send(GET.formatted("/first"));
      raw.readTo("ok");
      raw.send("POST /third HTTP/1.1\r\nHost: shop\r\nContent-Length: 0\r\n\r\n");
      assertThat(raw.readTo("}")).startsWith("HTTP/1.1 502 ");
      assertThat(upstream.heads().stream().filter(head -> head.contains("/third"))).hasSize(1);
      raw.send(GET.formatted("/first"));
      raw.readTo("ok");
      raw.send("PUT /fourth HTTP/1.1\r\nHost: shop\r\nContent-Length: 1\r\n\r\nx");
      assertThat(raw.readTo("}")).startsWith("HTTP/1.1 502 ");
      assertThat(upstream.heads().stream().filter(head -> head.contains("/fourth"))).hasSize(1);
    }
  }

  /** An upstream that has begun to respond has worked on the request. */
  @Test
  void asksNothingTwiceOfWhichAResponseHasBegun() throws Exception {
    for (String begun : List.of("H", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nX-Half: ")) {
      try (TestUpstream upstream =
              new TestUpstream((head, in, out) -> !TestUpstream.send(out, begun));
          TestGateway gateway = new TestGateway(upstream.address())) {
        gateway.http().get("/").problem(502, "upstream-failed");
        assertThat(upstream.heads()).as(begun).hasSize(1);
      }
    }
  }

  @Test
  void anUpstreamThatClosedItsIdleConnectionIsAskedOnANewOne() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> asked.incrementAndGet() != 2 && TestUpstream.say(out, "ok"));
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(GET.formatted("/"));
      raw.readTo("ok");
      raw.send(GET.formatted("/"));
      assertThat(raw.readTo("ok")).startsWith("HTTP/1.1 200 ");
      assertThat(asked).hasValue(3);
    }
  }

  @Test
  void neverEndsABrokenBodyAsIfItWereWhole() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    !TestUpstream.send(
                        out,
                        head.contains("/chunked")
                            ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
                            : "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"));
        TestGateway gateway = new TestGateway(upstream.address())) {
      for (String request :
          new String[] {
            GET.formatted("/chunked"), GET.formatted("/length"), "GET /chunked HTTP/1.0\r\n\r\n"
          }) {
        try (RawHttp raw = new RawHttp(gateway.address())) {
          raw.send(request);
          // By a reset, not an end.
          assertThatThrownBy(raw::readAll).isInstanceOf(SocketException.class);
        }
      }
    }
  }

  /** A close would be its end. */
  @Test
  void neverEndsABodyOfUnknownLengthByAReset() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    ServerSocket resetting =
        new ServerSocket(0, 50, InetAddress.getLoopbackAddress()) {
          @Override
          public Socket accept() throws IOException {
            Socket accepted = super.accept();
            accepted.setSoLinger(true, 0);
            return accepted;
          }
        };
    try (TestUpstream upstream =
            new TestUpstream(
                resetting,
                (head, in, out) -> {
                  TestUpstream.send(out, "HTTP/1.1 200 OK\r\n\r\nhello");
                  TestUpstream.await(read);
                  return false;
                });
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(GET.formatted("/"));
      raw.readTo("hello\r\n");
      read.countDown();
      assertThatThrownBy(() -> raw.readTo("0\r\n\r\n")).isInstanceOf(SocketException.class);
    }
  }

  @Test
  void passesAnEarlyAnswerOfAnUpstreamThatResetsTheConnection() throws Exception {
    // It closes with the body unread, which is a reset in the middle of what is sent.
    try (TestUpstream upstream =
            new TestUpstream((head, in, out) -> !TestUpstream.send(out, TOO_LARGE));
        TestGateway gateway = new TestGateway(upstream.address())) {
      for (int i = 0; i < 25 * ROUNDS; i++) {
        Http.Answer answer =
            gateway
                .http()
                .send("POST", "/", HttpRequest.BodyPublishers.ofByteArray(new byte[500_000]));
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.text()).isEqualTo("big");
      }
      byte[] request = new byte[20_000_000];
      byte[] head =
          "POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 90000000\r\n\r\n"
              .getBytes(StandardCharsets.US_ASCII);
      System.arraycopy(head, 0, request, 0, head.length);
      for (int i = 0; i < 3 * ROUNDS; i++) {
        // The rest of the body will not be read, so the connection is closed.
        assertThat(RawHttp.exchange(gateway.address(), request))
            .startsWith("HTTP/1.1 413 ")
            .contains("connection: close")
            .endsWith("big");
      }
    }
  }

  @Test
  void aClientWhoseShortBodyIsNotWantedMayAskAgain() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    head.startsWith("POST")
                        ? !TestUpstream.send(out, TOO_LARGE)
                        : TestUpstream.say(out, "ok"));
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send("POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 500000\r\n\r\nx");
      assertThat(raw.readTo("big")).startsWith("HTTP/1.1 413 ").doesNotContain("close");
      raw.send(new byte[499_999]);
      raw.send(GET.formatted("/"));
      assertThat(raw.readTo("ok")).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void cutsTheUpstreamOffWhenTheClientLeaves() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  asked.countDown();
                  try {
                    in.read();
                  } finally {
                    ended.countDown();
                  }
                  return false;
                });
        TestGateway gateway = new TestGateway(upstream.address())) {
      RawHttp raw = new RawHttp(gateway.address());
      raw.send(GET.formatted("/"));
      asked.await();
      raw.reset();
      ended.await();
    }
  }
}
