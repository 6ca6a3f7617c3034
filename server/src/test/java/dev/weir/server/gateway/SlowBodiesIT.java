package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Waiting;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that send their bodies slowly do not keep others from the upstream. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class SlowBodiesIT {
  private static final int LOOPS = Runtime.getRuntime().availableProcessors();
  private static final int CLIENTS = 20 * LOOPS;
  private static final int REQUESTS = 4 * LOOPS;
  private static final String CHUNKED =
      "POST / HTTP/1.1\r\nHost: shop\r\nTransfer-Encoding: chunked\r\n\r\n";

  /** Four connections for each event loop. */
  private static final TestGateway.Choice FEW =
      TestGateway.Choice.DEFAULTS.bounds(
          GatewaySettings.Bounds.DEFAULT.withUpstreamConnections(4 * LOOPS));

  @Test
  void slowClientsLeaveHalfOfTheConnectionsToCompleteRequests() throws Exception {
    try (TestUpstream upstream = reading();
        TestGateway gateway = new TestGateway(FEW, upstream.address());
        Clients slow = new Clients()) {
      for (int i = 0; i < CLIENTS; i++) {
        slow.connect(gateway).send(CHUNKED + "1\r\nx\r\n");
      }
      Waiting.until("their share to be in use", () -> upstream.heads().size() == 2 * LOOPS);
      for (int i = 0; i < REQUESTS; i++) {
        assertThat(gateway.http().get("/").status()).isEqualTo(200);
      }
      assertThat(upstream.heads()).hasSize(2 * LOOPS + REQUESTS);
    }
  }

  @Test
  void slowClientsTakeTurns() throws Exception {
    try (TestUpstream upstream = reading();
        TestGateway gateway = new TestGateway(FEW, upstream.address());
        Clients slow = new Clients()) {
      for (int i = 0; i < CLIENTS; i++) {
        slow.connect(gateway).send(CHUNKED + "1\r\nx\r\n");
      }
      for (RawHttp each : slow.all) {
        each.send("0\r\n\r\n");
      }
      for (RawHttp each : slow.all) {
        assertThat(each.readTo("ok")).startsWith("HTTP/1.1 200 ");
      }
    }
  }

  @Test
  void bodyThatArrivesWhileItWaitsIsNotSlowAnyMore() throws Exception {
    try (TestUpstream upstream = reading();
        TestGateway gateway = new TestGateway(FEW, upstream.address());
        Clients slow = new Clients();
        Clients others = new Clients()) {
      for (int i = 0; i < CLIENTS; i++) {
        slow.connect(gateway).send(CHUNKED + "1\r\nx\r\n");
      }
      Waiting.until("their share to be in use", () -> upstream.heads().size() == 2 * LOOPS);
      for (int i = 0; i < REQUESTS; i++) {
        others.connect(gateway).send(CHUNKED + "1\r\nx\r\n");
      }
      for (RawHttp each : others.all) {
        each.send("0\r\n\r\n");
        assertThat(each.readTo("ok")).startsWith("HTTP/1.1 200 ");
      }
    }
  }

  @Test
  void takesNoConnectionBeforeThereIsSomethingToSend() throws Exception {
    try (TestUpstream upstream = reading();
        TestGateway gateway = new TestGateway(upstream.address());
        Clients slow = new Clients()) {
      for (int i = 0; i < CLIENTS; i++) {
        slow.connect(gateway).send("POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 5\r\n\r\n");
        slow.connect(gateway).send(CHUNKED);
      }
      Waiting.until("all to be connected", () -> gateway.gateway().count() == 2 * CLIENTS);
      assertThat(gateway.http().get("/").status()).isEqualTo(200);
      assertThat(upstream.connections()).isEqualTo(1);
      for (int i = 0; i < slow.all.size(); i += 2) {
        slow.all.get(i).send("hello");
        assertThat(slow.all.get(i).readTo("ok")).startsWith("HTTP/1.1 200 ");
      }
    }
  }

  @Test
  void manySmallPiecesArriveAsTheyWereSent() throws Exception {
    String text = "0123456789".repeat(500);
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    TestUpstream.say(
                        out,
                        new String(
                            in.readNBytes((int) TestUpstream.length(head)),
                            StandardCharsets.US_ASCII)));
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp client = new RawHttp(gateway.address())) {
      client.send(
          "POST / HTTP/1.1\r\nHost: shop\r\nConnection: close\r\nContent-Length: 5000\r\n\r\n");
      for (int i = 0; i < text.length(); i += 10) {
        client.send(text.substring(i, i + 10));
      }
      assertThat(client.readAll()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n" + text);
    }
  }

  @Test
  void refusesABodyThatDripsInsteadOfStandingStill() throws Exception {
    GatewaySettings.Times soon =
        new GatewaySettings.Times(
            TestGateway.SHORT,
            TestGateway.LONG,
            TestGateway.LONG,
            TestGateway.LONG,
            TestGateway.LONG);
    try (TestUpstream upstream = reading();
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS
                    .times(soon)
                    .bounds(GatewaySettings.Bounds.DEFAULT.withMinRate(1 << 20)),
                upstream.address());
        RawHttp client = new RawHttp(gateway.address())) {
      client.send(CHUNKED);
      CountDownLatch isOver = new CountDownLatch(1);
      Thread dripping = Thread.ofVirtual().start(() -> drip(client, isOver));
      assertThat(client.readAll()).startsWith("HTTP/1.1 408 ").contains("request-timeout");
      isOver.countDown();
      dripping.join();
    }
  }

  private static void drip(RawHttp client, CountDownLatch isOver) {
    try {
      while (!isOver.await(10, TimeUnit.MILLISECONDS)) {
        client.chunk("x");
      }
    } catch (IOException e) {
      // The gateway has closed the connection.
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** An upstream that reads bodies to their ends. */
  private static TestUpstream reading() throws IOException {
    return new TestUpstream(
        (head, in, out) -> {
          if (TestUpstream.field(head, "transfer-encoding").isPresent()) {
            StringBuilder body = new StringBuilder();
            while (!body.toString().endsWith("0\r\n\r\n")) {
              int next = in.read();
              if (next < 0) {
                return false;
              }
              body.append((char) next);
            }
          }
          in.skipNBytes(TestUpstream.length(head));
          return TestUpstream.say(out, "ok");
        });
  }

  private static final class Clients implements AutoCloseable {
    private final List<RawHttp> all = new ArrayList<>();

    RawHttp connect(TestGateway gateway) throws IOException {
      RawHttp client = new RawHttp(gateway.address());
      all.add(client);
      return client;
    }

    @Override
    public void close() throws IOException {
      for (RawHttp each : all) {
        each.close();
      }
    }
  }
}
