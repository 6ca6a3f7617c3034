package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Waiting;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that read their responses slowly, later or never. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class UnreadResponsesIT {
  private static final String GET = "GET / HTTP/1.1\r\nHost: shop\r\n\r\n";

  /** More than sockets could ever hold. */
  private static final int LENGTH = 60_000_000;

  private static final int MAX_HELD = 30_000_000;
  private static final int BODY_BYTES = 10_000;

  /** Something without progress for this many polls is stuck. */
  private static final int STUCK_LOOKS = 15;

  private static final int STEP_BYTES = 1 << 13;
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  @Test
  void aClientThatReadsNothingIsForwardedNoMoreThanItsSocketTakes() throws Exception {
    int requests = LENGTH / BODY_BYTES;
    String body = "x".repeat(BODY_BYTES);
    AtomicLong served = new AtomicLong();
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  served.incrementAndGet();
                  return TestUpstream.say(out, body);
                });
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp client = new RawHttp(gateway.address())) {
      client.send(
          GET.repeat(requests - 1) + GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
      awaitStuck(served::get);
      assertThat(served.get() * BODY_BYTES).isLessThan(MAX_HELD);
      assertThat(client.readAll().split("HTTP/1.1 200 OK", -1)).hasSize(requests + 1);
      assertThat(served).hasValue(requests);
    }
  }

  @Test
  void aClientThatReadsNoRefusalsIsNotRead() throws Exception {
    byte[] requests =
        "GET /.%2e%2f HTTP/1.1\r\nHost: shop\r\n\r\n"
            .repeat(20_000)
            .getBytes(StandardCharsets.US_ASCII);
    AtomicLong sent = new AtomicLong();
    Thread sender;
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address());
        Socket client = new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort())) {
      sender =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      while (sent.get() < LENGTH) {
                        client.getOutputStream().write(requests);
                        sent.addAndGet(requests.length);
                      }
                    } catch (IOException e) {
                      // The test is over.
                    }
                  });
      awaitStuck(sent::get);
      assertThat(sent).hasValueLessThan(MAX_HELD);
    }
    sender.join();
  }

  @Test
  void theEndOfAResponseReachesAClientThatHasClosedItsSendingSide() throws Exception {
    readsAll((gateway, client) -> client.endSending());
  }

  @Test
  void theEndOfAResponseReachesAClientOfADrainingNode() throws Exception {
    readsAll(
        (gateway, client) -> {
          var unused = gateway.gateway().endWhenIdle(Duration.ZERO);
        });
  }

  private interface Ending {
    void end(TestGateway gateway, RawHttp client) throws IOException;
  }

  /** Ends while the gateway still has responses that the socket has not taken. */
  private static void readsAll(Ending ending) throws Exception {
    int requests = LENGTH / BODY_BYTES;
    String body = "x".repeat(BODY_BYTES);
    AtomicLong served = new AtomicLong();
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  served.incrementAndGet();
                  return TestUpstream.say(out, body);
                });
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp client = new RawHttp(gateway.address())) {
      client.send(GET.repeat(requests));
      awaitStuck(served::get);
      ending.end(gateway, client);
      String all = client.readAll();
      assertThat(all.split("HTTP/1.1 200 OK", -1)).hasSize(requests + 1);
      assertThat(all).endsWith("\r\n\r\n" + body);
    }
  }

  /** A kernel takes megabytes before it takes more, so that only it knows of the progress. */
  @Test
  void aClientThatTakesLittleAtATimeIsNotCutOff() throws Exception {
    Waiting.until("a client that does not pause itself", UnreadResponsesIT::readsLittleAtATime);
  }

  /**
   * Returns true if a response was read to its end. Returns false if the client was cut off after a
   * busy machine had paused it for so long that it may have been idle.
   */
  private static boolean readsLittleAtATime() throws IOException {
    Duration idle = Duration.ofSeconds(5);
    byte[] body = new byte[LENGTH];
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  TestUpstream.send(
                      out, "HTTP/1.1 200 OK\r\nContent-Length: " + LENGTH + "\r\n\r\n");
                  out.write(body);
                  return true;
                });
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS.times(
                    new GatewaySettings.Times(
                        TestGateway.LONG, idle, TestGateway.LONG, TestGateway.LONG, idle)),
                upstream.address());
        Socket client = new Socket()) {
      client.setReceiveBufferSize(1 << 15);
      client.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.address().getPort()));
      TestUpstream.send(client.getOutputStream(), GET);
      InputStream in = client.getInputStream();
      String head = "";
      while (!head.endsWith("\r\n\r\n")) {
        head += (char) in.read();
      }
      long startNanos = System.nanoTime();
      long readNanos = startNanos;
      long maxPauseNanos = 0;
      try {
        while (readNanos - startNanos < 2 * idle.toNanos() + idle.toNanos() / 2) {
          in.skipNBytes(STEP_BYTES);
          LockSupport.parkNanos(STEP_NANOS);
          maxPauseNanos = Math.max(maxPauseNanos, System.nanoTime() - readNanos);
          readNanos = System.nanoTime();
        }
        // More than the gateway has sent by now.
        in.skipNBytes(MAX_HELD);
        return true;
      } catch (IOException e) {
        if (Math.max(maxPauseNanos, System.nanoTime() - readNanos) < idle.toNanos() / 2) {
          throw e;
        }
        return false;
      }
    }
  }

  private static void awaitStuck(LongSupplier progress) {
    AtomicLong before = new AtomicLong();
    AtomicLong looks = new AtomicLong();
    Waiting.until(
        "it to be stuck",
        () -> {
          long now = progress.getAsLong();
          boolean isStuck = now > 0 && now == before.getAndSet(now);
          return (isStuck ? looks.incrementAndGet() : looks.getAndSet(0)) == STUCK_LOOKS;
        });
  }
}
