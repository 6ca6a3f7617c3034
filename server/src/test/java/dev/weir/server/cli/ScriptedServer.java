package dev.weir.server.cli;

import dev.weir.workflows.feed.internal.RecordReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A server that behaves as badly as a test wants; the real one is too well-behaved. */
final class ScriptedServer implements AutoCloseable {
  static final String SLOT =
      "{\"eventId\":\"a\",\"scheduledTime\":\"2026-06-01T12:00:00Z\",\"delayMs\":0,"
          + "\"replayed\":false}";
  static final String NO_STORE =
      "{\"type\":\"urn:weir:problem:store-unavailable\",\"title\":\"Service Unavailable\","
          + "\"status\":503,\"detail\":\"The database does not answer.\"}";

  private final ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());

  /** What happens to a connection once the head of its request is read. */
  @FunctionalInterface
  interface Script {
    void play(Connection connection) throws IOException;
  }

  /** One connection, told apart into lines in and answers out. */
  static final class Connection {
    private final RecordReader lines;
    private final OutputStream out;

    private Connection(InputStream in, OutputStream out) {
      this.lines = new RecordReader(in, false);
      this.out = out;
    }

    @Nullable String line() throws IOException {
      RecordReader.Cut cut = lines.next();
      return cut == null ? null : cut.text();
    }

    void readToEnd() throws IOException {
      String line;
      do {
        line = line();
      } while (line != null);
    }

    void raw(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    void begin() throws IOException {
      raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    }

    void answer(String line) throws IOException {
      raw(Integer.toHexString(line.length() + 1) + "\r\n" + line + "\n\r\n");
    }

    void end() throws IOException {
      raw("0\r\n\r\n");
    }
  }

  ScriptedServer(Script script) throws IOException {
    Thread.ofVirtual().start(() -> serve(script));
  }

  String url() {
    return URI.create("http://127.0.0.1:" + socket.getLocalPort()).toString();
  }

  private void serve(Script script) {
    try (Socket client = socket.accept()) {
      InputStream in = new BufferedInputStream(client.getInputStream());
      String header;
      do {
        header = AnswerHead.line(in);
      } while (!header.isEmpty());
      script.play(new Connection(new FramedInput(in, 0, true), client.getOutputStream()));
    } catch (IOException over) {
      if (!socket.isClosed()) {
        throw new UncheckedIOException(over);
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
