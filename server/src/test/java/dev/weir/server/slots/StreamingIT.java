package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.LogWatch;
import dev.weir.server.http.RawHttp;
import dev.weir.server.http.RunningNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Streams of lines: answered immediately, no faster than they are read, and only while both sides
 * are connected.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class StreamingIT {
  private static final String HEAD =
      """
      POST /api/v1/slots/batch HTTP/1.1\r
      Host: localhost\r
      Content-Type: application/x-ndjson\r
      Transfer-Encoding: chunked\r
      \r
      """;

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @TempDir private static Path temporary;

  @Test
  void answersEachLineBeforeTheNextIsSent() throws IOException {
    try (RawHttp raw = new RawHttp(node.address())) {
      raw.send(HEAD);
      for (int i = 0; i < 50; i++) {
        raw.chunk("{\"eventId\":\"ping-" + i + "\"}\n");
        assertThat(raw.readTo("}\n")).contains("\"eventId\":\"ping-" + i + "\"");
      }
      // A line without an end is no line yet.
      raw.chunk("{\"eventId\":\"ping-");
      raw.chunk("last\"}\n");
      assertThat(raw.readTo("}\n")).contains("\"eventId\":\"ping-last\"");
      raw.send("0\r\n\r\n");
      assertThat(raw.readTo("0\r\n\r\n")).doesNotContain("eventId");
    }
  }

  @Test
  void stopsReadingFromAClientThatDoesNotRead() throws IOException {
    byte[] lines = "{\"eventId\":\"slow\"}\n".repeat(5_000).getBytes(StandardCharsets.UTF_8);
    try (SocketChannel channel = SocketChannel.open(address())) {
      write(channel, HEAD);
      Sent sent = sendUntilItStops(channel, lines);
      // Now it reads, and not a line is lost.
      Thread sender =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      write(channel, sent.rest());
                      write(channel, "0\r\n\r\n");
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
      assertThat(countLinesToTheEnd(channel.socket().getInputStream()))
          .isEqualTo(sent.lines() + 5_000);
      join(sender);
    }
  }

  @Test
  void keepsWhatItAnsweredWhenTheClientHangsUpAndForgetsTheRest() throws IOException {
    for (int round = 0; round < 20; round++) {
      try (RawHttp raw = new RawHttp(node.address())) {
        raw.send(HEAD);
        raw.chunk("{\"eventId\":\"kept-" + round + "\"}\n{\"eventId\":\"half-" + round);
        raw.readTo("}\n");
      }
    }
    for (int round = 0; round < 20; round++) {
      http.get("/api/v1/slots/kept-" + round).ok();
      http.get("/api/v1/slots/half-" + round).problem(404, "unknown-event");
    }
    awaitNoStreams();
  }

  @Test
  void forgetsClientsThatHangUpWithoutReading() throws IOException {
    String lines = "{\"eventId\":\"unread\"}\n".repeat(2_000);
    try (LogWatch logs = new LogWatch()) {
      for (int round = 0; round < 10; round++) {
        try (RawHttp raw = new RawHttp(node.address())) {
          raw.send(HEAD);
          raw.chunk(lines);
          raw.chunk(lines);
        }
      }
      awaitNoStreams();
      // This is normal and must not raise an alert.
      assertThat(logs.lines("ERROR")).isEmpty();
      assertThat(logs.lines("WARN")).isEmpty();
    }
    http.get("/health/ready").ok();
  }

  /** How many lines went out, and the chunk that got stuck. */
  private record Sent(long lines, ByteBuffer rest) {}

  private static Sent sendUntilItStops(SocketChannel channel, byte[] lines) throws IOException {
    long sentLines = 0;
    ByteBuffer chunk = chunk(lines);
    channel.configureBlocking(false);
    try (Selector selector = Selector.open()) {
      channel.register(selector, SelectionKey.OP_WRITE);
      while (selector.select(1_000) > 0) {
        selector.selectedKeys().clear();
        channel.write(chunk);
        if (!chunk.hasRemaining()) {
          sentLines += 5_000;
          chunk = chunk(lines);
        }
        // Sockets hold a few megabytes, the node a few portions.
        assertThat(sentLines).isLessThan(1_000_000);
      }
    }
    channel.configureBlocking(true);
    return new Sent(sentLines, chunk);
  }

  /** Threads of streams are virtual: only this dump shows them. */
  private static void awaitNoStreams() {
    HotSpotDiagnosticMXBean machine =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    Waiting.until(
        "the end of all streams",
        () -> {
          Path file = Files.createTempDirectory(temporary, "dump").resolve("threads.txt");
          machine.dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
          return !Files.readString(file).contains("dev.weir.server.slots.LineStream");
        });
  }

  private static long countLinesToTheEnd(InputStream in) throws IOException {
    long lines = 0;
    String tail = "";
    byte[] buffer = new byte[65_536];
    while (!tail.endsWith("\r\n0\r\n\r\n")) {
      int read = in.read(buffer);
      assertThat(read).as("bytes before the end").isPositive();
      for (int i = 0; i < read; i++) {
        // Ends of chunks and of headers have a return before them.
        if (buffer[i] == '\n' && (i > 0 ? buffer[i - 1] : tail.charAt(tail.length() - 1)) == '}') {
          lines++;
        }
      }
      String text = tail + new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
      tail = text.substring(Math.max(0, text.length() - 7));
    }
    return lines;
  }

  private static ByteBuffer chunk(byte[] bytes) {
    byte[] size = (Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(size.length + bytes.length + 2)
        .put(size)
        .put(bytes)
        .put((byte) '\r')
        .put((byte) '\n')
        .flip();
  }

  private static void write(SocketChannel channel, String text) throws IOException {
    write(channel, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static InetSocketAddress address() {
    return new InetSocketAddress(node.address().getHost(), node.address().getPort());
  }
}
