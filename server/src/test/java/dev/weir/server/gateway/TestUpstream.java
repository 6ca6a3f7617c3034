package dev.weir.server.gateway;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** An upstream on plain sockets, which records what it receives, byte for byte, and is scripted. */
final class TestUpstream implements AutoCloseable {
  private final ServerSocket server;
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();

  /** Responds to one request; returns false to close the connection. */
  interface Service {
    boolean serve(String head, InputStream in, OutputStream out) throws IOException;
  }

  TestUpstream(Service service) throws IOException {
    this(new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress()), service);
  }

  TestUpstream(ServerSocket server, Service service) {
    this.server = server;
    Thread.ofVirtual().start(() -> accept(service));
  }

  /** An upstream that responds with 200 to every request without a body. */
  static TestUpstream friendly() throws IOException {
    return new TestUpstream((head, in, out) -> say(out, "ok"));
  }

  static boolean say(OutputStream out, String body) throws IOException {
    return send(
        out, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body));
  }

  static boolean send(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
    return true;
  }

  /** Waits, in a service that may only fail like a connection. */
  static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting");
    }
  }

  /** The length of the body that a head announces. */
  static long length(String head) {
    return field(head, "content-length").map(Long::parseLong).orElse(0L);
  }

  /** The value of a header field, by its name in lower case. */
  static Optional<String> field(String head, String name) {
    return head.lines()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst();
  }

  private void accept(Service service) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        connections.incrementAndGet();
        sockets.add(socket);
        Thread.ofVirtual().start(() -> serve(socket, service));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket, Service service) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
      String head = head(in);
      while (!head.isEmpty()) {
        heads.add(head);
        if (!service.serve(head, in, socket.getOutputStream())) {
          return;
        }
        head = head(in);
      }
    } catch (IOException e) {
      // The gateway has left.
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) < 0) {
      int next = in.read();
      if (next < 0) {
        return "";
      }
      head.append((char) next);
    }
    return head.toString();
  }

  String address() {
    return "http://127.0.0.1:" + port();
  }

  int port() {
    return server.getLocalPort();
  }

  /** The heads of all requests that have arrived. */
  List<String> heads() {
    return heads;
  }

  String lastHead() {
    return heads.getLast();
  }

  int connections() {
    return connections.get();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
