package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node with a small heap outlives thousands of clients that send without an end. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class FloodedNodeIT {
  private static final String HEAD = "POST /api/v1/slots HTTP/1.1\r\nHost: localhost\r\n";

  /** A request with an answer of 200 kB. */
  private static final String LARGE = "GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private static final String SMALL = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private static ChildNode node;

  /** One for all floods, which it outlives one after the other. */
  @BeforeAll
  static void start() throws IOException {
    node = ChildNode.start(Map.of(), "-Xmx128m");
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @AfterEach
  void awaitAnswer() {
    Http http = new Http(node.address());
    Waiting.until("an answer", () -> isAnswered(http));
  }

  @Test
  void answersAfterThousandsOfUnfinishedHeads() throws IOException {
    try (Flood flood = new Flood(node.address())) {
      flood.send(6_000, HEAD + "X-Filler: 1\r\n".repeat(900));
      flood.leave();
      awaitAnswer();
      isNoneTheWorse();
    }
  }

  @Test
  void answersAmongHundredsOfHeadsWithVeryShortFields() throws IOException {
    try (Flood flood = new Flood(node.address())) {
      flood.send(500, HEAD + "a:\r\n".repeat(5_000));
      isNoneTheWorse();
    }
  }

  @Test
  void answersAmongHundredsOfUnfinishedBodies() throws IOException {
    try (Flood flood = new Flood(node.address())) {
      flood.send(
          500,
          HEAD
              + "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
              + " ".repeat(900_000));
      isNoneTheWorse();
    }
  }

  /** The answer to a line is a hundred times as long. */
  @Test
  void answersAmongStreamsOfShortLinesWhoseAnswersNobodyReads() throws IOException {
    String lines = "1\n".repeat(300_000);
    try (Flood flood = new Flood(node.address())) {
      flood.send(
          100,
          "POST /api/v1/slots/batch HTTP/1.1\r\nHost: localhost\r\n"
              + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
              + Integer.toHexString(lines.length())
              + "\r\n"
              + lines
              + "\r\n");
      isNoneTheWorse();
      flood.leave();
      isNoneTheWorse();
    }
  }

  @Test
  void answersAmongClientsThatPipelineRequestsAndNeverRead() throws IOException {
    try (Flood flood = new Flood(node.address())) {
      flood.send(60, LARGE.repeat(1_500));
      // Their answers are several times the heap.
      flood.send(12, SMALL.repeat(3_000));
      isNoneTheWorse();
      flood.leave();
      isNoneTheWorse();
    }
  }

  @Test
  void answersAmongHundredsOfLargeAnswersThatNobodyReads() throws IOException {
    try (Flood flood = new Flood(node.address())) {
      flood.send(900, LARGE.repeat(40));
      isNoneTheWorse();
      flood.leave();
      isNoneTheWorse();
    }
  }

  /** Until the node has seen that the clients have left, it refuses further connections. */
  private static boolean isAnswered(Http http) {
    try {
      return http.get("/health/live").status() == 200;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  private static void isNoneTheWorse() {
    Http http = new Http(node.address());
    http.get("/health/live").ok();
    http.post("/api/v1/slots", "{\"eventId\":\"after\"}").ok();
    assertThat(node.output()).noneMatch(line -> line.contains("OutOfMemoryError"));
    assertThat(node.output()).noneMatch(line -> line.contains("OutOfDirectMemoryError"));
  }

  /** Many connections that stay open. */
  private static final class Flood implements AutoCloseable {
    private final InetSocketAddress target;
    private final List<SocketChannel> clients = new ArrayList<>();

    Flood(URI node) {
      target = new InetSocketAddress(node.getHost(), node.getPort());
    }

    /** Sends the same bytes on each of many connections; the node may refuse some of them. */
    void send(int count, String text) throws IOException {
      byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < count; i++) {
        SocketChannel client = SocketChannel.open();
        clients.add(client);
        client.setOption(StandardSocketOptions.SO_RCVBUF, 4_096);
        client.connect(target);
        client.setOption(StandardSocketOptions.SO_LINGER, 0);
        client.configureBlocking(false);
        try {
          client.write(ByteBuffer.wrap(bytes));
        } catch (IOException e) {
          // Refused, as it may be.
        }
      }
    }

    @Override
    public void close() throws IOException {
      leave();
    }

    void leave() throws IOException {
      for (SocketChannel client : clients) {
        client.close();
      }
      clients.clear();
    }
  }
}
