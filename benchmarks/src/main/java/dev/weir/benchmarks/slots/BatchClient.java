package dev.weir.benchmarks.slots;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Sends a feed to the batch endpoint and reads the results at the same time: over a plain socket,
 * because the JDK's client returns no response before it has sent everything.
 */
final class BatchClient {
  private BatchClient() {}

  /** Sends the feed and returns the seconds from the first byte sent to the last result read. */
  static double send(URI server, Path feed, int events) throws Exception {
    long begin = System.nanoTime();
    try (Socket socket = new Socket(server.getHost(), server.getPort());
        ExecutorService sender = Executors.newSingleThreadExecutor()) {
      Future<?> sent =
          sender.submit(
              () -> {
                OutputStream out = socket.getOutputStream();
                out.write(head(feed).getBytes(StandardCharsets.US_ASCII));
                Files.copy(feed, out);
                out.flush();
                return null;
              });
      int given = countGiven(new BufferedInputStream(socket.getInputStream(), 1 << 16));
      sent.get();
      if (given != events) {
        throw new IllegalStateException(given + " of " + events + " events got a slot");
      }
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  private static String head(Path feed) throws IOException {
    return """
    POST /api/v1/slots/batch HTTP/1.1\r
    Host: localhost\r
    Content-Type: application/x-ndjson\r
    Content-Length: %d\r
    \r
    """
        .formatted(Files.size(feed));
  }

  /** Reads a chunked response to its end and returns the number of lines with a slot. */
  private static int countGiven(InputStream in) throws IOException {
    String status = line(in);
    if (!status.startsWith("HTTP/1.1 200")) {
      throw new IOException("unexpected answer: " + status);
    }
    while (!line(in).isEmpty()) {
      // The headers are not needed.
    }
    int lines = 0;
    byte[] chunk = new byte[1 << 16];
    for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
      if (size > chunk.length) {
        chunk = new byte[size];
      }
      if (in.readNBytes(chunk, 0, size) < size) {
        throw new EOFException("the answer broke off");
      }
      for (int i = 0; i < size; i++) {
        if (chunk[i] == '\n') {
          lines++;
        }
      }
      line(in);
    }
    return lines;
  }

  private static int chunkSize(InputStream in) throws IOException {
    return Integer.parseInt(line(in), 16);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the answer broke off");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
