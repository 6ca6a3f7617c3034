package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.rules.Rule;
import dev.weir.rules.spec.Quota;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client that leaves is noticed even while its body is not read. Its close comes behind the body,
 * of which two kernels do not hold as much as is sent here.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class LeavingClientsIT {
  /** Nothing ends by a time-out before the test does. */
  private static final Duration NEVER = Duration.ofHours(1);

  private static final int SENT_BYTES = 15_000_000;

  private static final int BODY_BYTES = 1_000_000;

  private static final int FURTHER_REQUESTS = 14;

  @Test
  void oneWhoseUpstreamDoesNotReadGivesItsPlaceBack() throws Exception {
    CountDownLatch isOver = new CountDownLatch(1);
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  if (head.startsWith("POST")) {
                    await(isOver);
                    return false;
                  }
                  return TestUpstream.say(out, "ok");
                });
        TestGateway gateway = waiting(upstream);
        Socket client = connected(gateway)) {
      Rule rule =
          gateway.rule(
              "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofMinutes(10))), spec -> spec);
      begin(client);
      Waiting.until("the upstream to be asked", () -> !upstream.heads().isEmpty());
      gateway.http().get("/").refused();
      sendAndLeave(client);
      Waiting.until("the place to be free", () -> gateway.leases(rule, "127.0.0.1") == 0);
      assertThat(gateway.http().get("/").status()).isEqualTo(200);
      isOver.countDown();
    }
  }

  @Test
  void oneThatWaitsFreesItsPlace() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = waiting(upstream);
        Socket client = connected(gateway)) {
      gateway.limitToOneAndALongWait();
      assertThat(gateway.http().get("/").status()).isEqualTo(200);
      begin(client);
      Waiting.until("it to wait", () -> gateway.waiting() == 1);
      sendAndLeave(client);
      Waiting.until("its place to be free", () -> gateway.waiting() == 0);
      assertThat(upstream.heads()).as("it did not come to its turn").hasSize(1);
    }
  }

  @Test
  void oneThatAskedMoreGivesItsPlaceBack() throws Exception {
    for (int bytes : new int[] {1, 400_000, 10_000_000}) {
      CountDownLatch isOver = new CountDownLatch(1);
      try (TestUpstream upstream = silent(isOver);
          TestGateway gateway = waiting(upstream);
          Socket client = connected(gateway)) {
        Rule rule = oneAtATime(gateway);
        client.getOutputStream().write(head("GET /", 0));
        Waiting.until("the upstream to be asked", () -> !upstream.heads().isEmpty());
        sendAndLeave(client, further(bytes));
        Waiting.until("the place to be free", () -> gateway.leases(rule, "127.0.0.1") == 0);
        isOver.countDown();
      }
    }
  }

  @Test
  void oneThatAskedMoreAndWaitsFreesItsPlace() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = waiting(upstream);
        Socket client = connected(gateway)) {
      gateway.limitToOneAndALongWait();
      assertThat(gateway.http().get("/").status()).isEqualTo(200);
      client.getOutputStream().write(head("GET /", 0));
      Waiting.until("it to wait", () -> gateway.waiting() == 1);
      sendAndLeave(client, further(400_000));
      Waiting.until("its place to be free", () -> gateway.waiting() == 0);
      assertThat(upstream.heads()).as("it did not come to its turn").hasSize(1);
    }
  }

  /** What was read ahead is answered when its turn comes: all of it, once, and in order. */
  @Test
  void oneThatStaysIsAnsweredAllThatItAsked() throws Exception {
    CountDownLatch isOver = new CountDownLatch(1);
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  in.skipNBytes(TestUpstream.length(head));
                  if (head.startsWith("GET /first")) {
                    await(isOver);
                  }
                  return TestUpstream.say(out, head.split(" ", 3)[1]);
                });
        TestGateway gateway = waiting(upstream);
        RawHttp client = new RawHttp(gateway.address())) {
      Rule rule = oneAtATime(gateway);
      client.send(head("GET /first", 0));
      Waiting.until("the upstream to be asked", () -> !upstream.heads().isEmpty());
      // More than two kernels hold: that all of it is sent shows that it was read.
      for (int i = 0; i < FURTHER_REQUESTS; i++) {
        client.send(head("POST /" + i, BODY_BYTES));
        client.send(new byte[BODY_BYTES]);
      }
      client.send("GET /last HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n");
      assertThat(gateway.leases(rule, "127.0.0.1")).isEqualTo(1);
      isOver.countDown();
      client.readTo("/first");
      for (int i = 0; i < FURTHER_REQUESTS; i++) {
        assertThat(client.readTo("\r\n\r\n/" + i)).startsWith("HTTP/1.1 200 ");
      }
      assertThat(client.readAll()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n/last");
      assertThat(upstream.heads()).hasSize(FURTHER_REQUESTS + 2);
    }
  }

  private static Rule oneAtATime(TestGateway gateway) {
    return gateway.rule(
        "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofMinutes(10))), spec -> spec);
  }

  /** An upstream that reads the head of a request, and does nothing more. */
  private static TestUpstream silent(CountDownLatch isOver) throws IOException {
    return new TestUpstream(
        (head, in, out) -> {
          await(isOver);
          return false;
        });
  }

  private static byte[] head(String line, int bodyBytes) {
    return "%s HTTP/1.1\r\nHost: shop\r\nContent-Length: %d\r\n\r\n"
        .formatted(line, bodyBytes)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Small requests, of at least this many bytes together. */
  private static byte[] further(int bytes) {
    String request = new String(head("GET /", 0), StandardCharsets.US_ASCII);
    return request
        .repeat(Math.ceilDiv(bytes, request.length()))
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static TestGateway waiting(TestUpstream upstream) throws IOException {
    return new TestGateway(
        TestGateway.Choice.DEFAULTS.times(
            new GatewaySettings.Times(NEVER, NEVER, NEVER, NEVER, NEVER)),
        upstream.address());
  }

  private static Socket connected(TestGateway gateway) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort());
  }

  /** Sends the head of a request, and a byte of its body. */
  private static void begin(Socket client) throws IOException {
    client
        .getOutputStream()
        .write(
            ("POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 1000000000\r\n\r\n" + "x")
                .getBytes(StandardCharsets.US_ASCII));
  }

  /** Its socket stays open for reading, or its kernel would give up after about a minute. */
  private static void sendAndLeave(Socket client) {
    sendAndLeave(client, new byte[SENT_BYTES]);
  }

  private static void sendAndLeave(Socket client, byte[] bytes) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                client.getOutputStream().write(bytes);
                client.shutdownOutput();
              } catch (IOException e) {
                // The test is over, or has failed.
              }
            });
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
