package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies are streamed in both directions, as fast as the slower side. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class GatewayStreamsIT {
  /** More than sockets, and one read of the gateway, could ever hold. */
  private static final long LENGTH = 60_000_000;

  private static final long MAX_HELD = 30_000_000;

  /** A transfer without progress for this many polls is stuck. */
  private static final int STUCK_LOOKS = 15;

  private static final byte[] PIECE = new byte[1 << 16];

  @Test
  void passesEachPieceBeforeTheNextIsThere() throws Exception {
    int pieces = 50;
    try (TestUpstream upstream = echo();
        TestGateway gateway = new TestGateway(upstream.address());
        Socket socket = connect(gateway)) {
      OutputStream out = socket.getOutputStream();
      InputStream in = socket.getInputStream();
      TestUpstream.send(out, post((long) pieces * PIECE.length));
      // The upstream is asked for nothing before there is something to send.
      out.write(PIECE);
      skipHead(in);
      in.skipNBytes(PIECE.length);
      for (int i = 1; i < pieces; i++) {
        out.write(PIECE);
        in.skipNBytes(PIECE.length);
      }
    }
  }

  @Test
  void passesLongBodiesBothWaysAtOnce() throws Exception {
    try (TestUpstream upstream = echo();
        TestGateway gateway = new TestGateway(upstream.address());
        Socket socket = connect(gateway)) {
      OutputStream out = socket.getOutputStream();
      TestUpstream.send(out, post(LENGTH));
      Thread sender = Thread.ofVirtual().start(() -> write(out, new AtomicLong()));
      skipHead(socket.getInputStream());
      socket.getInputStream().skipNBytes(LENGTH);
      sender.join();
    }
  }

  /** Sends back the body that it gets, as it comes. */
  private static TestUpstream echo() throws IOException {
    return new TestUpstream(
        (head, in, out) -> {
          TestUpstream.send(out, ok(TestUpstream.length(head)));
          byte[] buffer = new byte[PIECE.length];
          long left = TestUpstream.length(head);
          while (left > 0) {
            int read = in.read(buffer);
            out.write(buffer, 0, read);
            left -= read;
          }
          out.flush();
          return true;
        });
  }

  @Test
  void slowsDownAClientThatSendsFasterThanItsUpstreamTakes() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  wait(go);
                  in.skipNBytes(TestUpstream.length(head));
                  return TestUpstream.say(out, "ok");
                });
        TestGateway gateway = new TestGateway(upstream.address());
        Socket socket = connect(gateway)) {
      OutputStream out = socket.getOutputStream();
      TestUpstream.send(out, post(LENGTH));
      AtomicLong written = new AtomicLong();
      Thread sender = Thread.ofVirtual().start(() -> write(out, written));
      awaitStuck(written);
      assertThat(written).hasValueLessThan(MAX_HELD);
      go.countDown();
      sender.join();
      assertThat(written).hasValue(LENGTH);
      skipHead(socket.getInputStream());
    }
  }

  @Test
  void slowsDownAnUpstreamThatSendsFasterThanItsClientTakes() throws Exception {
    AtomicLong written = new AtomicLong();
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  TestUpstream.send(out, ok(LENGTH));
                  write(out, written);
                  return true;
                });
        TestGateway gateway = new TestGateway(upstream.address());
        Socket socket = connect(gateway)) {
      TestUpstream.send(socket.getOutputStream(), "GET / HTTP/1.1\r\nHost: shop\r\n\r\n");
      skipHead(socket.getInputStream());
      awaitStuck(written);
      assertThat(written).hasValueLessThan(MAX_HELD);
      socket.getInputStream().skipNBytes(LENGTH);
    }
  }

  @Test
  void slowsDownAnUpstreamThatSendsMoreHintsThanItsClientTakes() throws Exception {
    String hint = "HTTP/1.1 103 Early Hints\r\nLink: " + "x".repeat(4_000) + "\r\n\r\n";
    AtomicLong written = new AtomicLong();
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  while (written.get() < LENGTH) {
                    TestUpstream.send(out, hint);
                    written.addAndGet(Math.min(hint.length(), LENGTH - written.get()));
                  }
                  return TestUpstream.say(out, "ok");
                });
        TestGateway gateway = new TestGateway(upstream.address());
        Socket socket = connect(gateway)) {
      TestUpstream.send(socket.getOutputStream(), "GET / HTTP/1.1\r\nHost: shop\r\n\r\n");
      awaitStuck(written);
      assertThat(written).hasValueLessThan(MAX_HELD);
      assertThat(
              new BufferedReader(
                      new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))
                  .lines()
                  .anyMatch(line -> line.equals("HTTP/1.1 200 OK")))
          .isTrue();
    }
  }

  private static void awaitStuck(AtomicLong written) {
    AtomicLong before = new AtomicLong();
    AtomicLong looks = new AtomicLong();
    Waiting.until(
        "it to be stuck",
        () -> {
          long now = written.get();
          boolean isStuck = now > 0 && now == before.getAndSet(now);
          return now == LENGTH
              || (isStuck ? looks.incrementAndGet() : looks.getAndSet(0)) == STUCK_LOOKS;
        });
  }

  private static void write(OutputStream out, AtomicLong written) {
    try {
      while (written.get() < LENGTH) {
        int length = (int) Math.min(PIECE.length, LENGTH - written.get());
        out.write(PIECE, 0, length);
        written.addAndGet(length);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Socket connect(TestGateway gateway) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort());
  }

  private static String post(long length) {
    return "POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: " + length + "\r\n\r\n";
  }

  private static String ok(long length) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n";
  }

  private static void skipHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      head.append(new String(in.readNBytes(1), StandardCharsets.ISO_8859_1));
    }
    assertThat(head.toString()).startsWith("HTTP/1.1 200 OK\r\n");
  }

  private static void wait(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
