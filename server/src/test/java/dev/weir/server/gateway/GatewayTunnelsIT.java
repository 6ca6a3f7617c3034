package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.Concurrency;
import dev.weir.rules.Rule;
import dev.weir.rules.spec.Quota;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** WebSockets are tunnelled, and nothing else that is not HTTP. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class GatewayTunnelsIT {
  private static final String GET = "GET %s HTTP/1.1\r\nHost: shop\r\n%s\r\n";
  private static final String UPGRADE =
      GET.formatted(
          "/ws",
          "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: k\r\n");

  @Test
  void passesWebSocketsThrough() throws Exception {
    try (TestUpstream upstream = shouting();
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(UPGRADE);
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
      raw.send("end.");
      assertThat(raw.readAll()).isEqualTo("END");
    }
  }

  /** Sends back in capitals what it gets, up to a full stop. */
  private static TestUpstream shouting() throws IOException {
    return new TestUpstream(
        (head, in, out) -> {
          // A frame may follow immediately.
          TestUpstream.send(
              out,
              "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                  + "Upgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nfirst");
          for (int next = in.read(); next >= 0 && next != '.'; next = in.read()) {
            out.write(Character.toUpperCase(next));
            out.flush();
          }
          return false;
        });
  }

  @Test
  void aWebSocketHoldsItsLeaseAsLongAsItIsOpen() throws Exception {
    try (TestUpstream upstream = shouting();
        TestGateway gateway = new TestGateway(upstream.address())) {
      Rule rule =
          gateway.rule(
              "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofMinutes(10))), spec -> spec);
      for (int i = 0; i < 2; i++) {
        try (RawHttp raw = new RawHttp(gateway.address())) {
          raw.send(UPGRADE);
          raw.readTo("first");
          gateway.http().get("/").refused();
        }
        Waiting.until("the lease to end", () -> gateway.leases(rule, "127.0.0.1") == 0);
      }
    }
  }

  @Test
  void anIdleWebSocketIsCut() throws Exception {
    try (TestUpstream upstream = shouting();
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS.times(TestGateway.SOON_IDLE), upstream.address())) {
      Waiting.until("an idle WebSocket to be cut", () -> isCut(gateway));
    }
  }

  /**
   * Opens a WebSocket, and waits until it is cut. Returns false if there was none: the gateway has
   * closed a connection on which no request arrived in time.
   */
  private static boolean isCut(TestGateway gateway) throws IOException {
    try (RawHttp raw = new RawHttp(gateway.address())) {
      try {
        raw.send(UPGRADE);
        raw.readTo("first");
      } catch (IOException e) {
        return false;
      }
      assertThatThrownBy(raw::readAll).isInstanceOf(SocketException.class);
      return true;
    }
  }

  /** A decoder that has seen them may have skipped some, so they cannot be forwarded. */
  @Test
  void refusesAWebSocketWhoseClientDoesNotWaitForTheResponse() throws Exception {
    for (String early : new String[] {"\u0081", "x", "\r\n", "early frame\r\nmore", GET}) {
      try (TestUpstream upstream = shouting();
          TestGateway gateway = new TestGateway(upstream.address())) {
        assertThat(RawHttp.exchange(gateway.address(), UPGRADE + early))
            .as(early)
            .startsWith("HTTP/1.1 400 ")
            .contains("onnection: close")
            .doesNotContain("first");
        assertThat(RawHttp.exchange(gateway.address(), GET.formatted("/..", "") + UPGRADE + early))
            .as(early)
            .contains("HTTP/1.1 400 ")
            .doesNotContain("HTTP/1.1 101 ");
      }
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
}
