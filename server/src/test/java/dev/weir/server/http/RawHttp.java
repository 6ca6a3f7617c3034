package dev.weir.server.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A socket to a node, to send malformed requests and to see the bytes of responses. */
public final class RawHttp implements AutoCloseable {
  private final Socket socket;

  public RawHttp(URI node) throws IOException {
    this(new Socket(node.getHost(), node.getPort()));
  }

  RawHttp(Socket socket) throws IOException {
    this.socket = socket;
    // Only what never comes takes so long, on however busy a machine.
    socket.setSoTimeout(240_000);
  }

  /** Whether there is something to read. */
  public boolean isAnswered() throws IOException {
    return socket.getInputStream().available() > 0;
  }

  /** Sends, and reads all until the node closes the connection. */
  public static String exchange(URI node, String request) throws IOException {
    return exchange(node, request.getBytes(StandardCharsets.ISO_8859_1));
  }

  public static String exchange(URI node, byte[] request) throws IOException {
    try (RawHttp raw = new RawHttp(node)) {
      Thread sender =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      raw.send(request);
                    } catch (IOException e) {
                      // The node responded before it had everything, and closed the connection.
                    }
                  });
      String answer = raw.readAll();
      sender.interrupt();
      return answer;
    }
  }

  public void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.UTF_8));
  }

  public void send(byte[] bytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(bytes);
    out.flush();
  }

  /** Closes the sending side. */
  public void endSending() throws IOException {
    socket.shutdownOutput();
  }

  /** Leaves for good: the node sees a reset, and not a client that has closed its sending side. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  public void chunk(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    send(Integer.toHexString(bytes.length) + "\r\n" + text + "\r\n");
  }

  /** Reads up to and including a mark. */
  public String readTo(String mark) throws IOException {
    StringBuilder text = new StringBuilder();
    InputStream in = socket.getInputStream();
    while (text.indexOf(mark, Math.max(0, text.length() - mark.length())) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("ended after: " + text);
      }
      text.append((char) next);
    }
    return text.toString();
  }

  /** Reads until the node closes the connection, in order and not by a reset. */
  public String readAll() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    InputStream in = socket.getInputStream();
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      all.write(buffer, 0, read);
    }
    return all.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
