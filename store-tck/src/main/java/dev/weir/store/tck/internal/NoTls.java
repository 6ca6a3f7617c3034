package dev.weir.store.tck.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A server on loopback with which no TLS connection can be made. */
public final class NoTls implements AutoCloseable {
  private final ServerSocket listener;
  private final Answer answer;

  /** What it does when a client begins a handshake. */
  public enum Answer {
    /** It ends the connection. */
    NOTHING,
    /** It says something without TLS. */
    CLEARTEXT
  }

  public NoTls(Answer answer) throws IOException {
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.answer = answer;
    Thread.ofVirtual().start(this::accept);
  }

  /** Returns its address, with the scheme https. */
  public String url() {
    return "https://127.0.0.1:" + listener.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        try (Socket client = listener.accept()) {
          end(client);
        }
      }
    } catch (IOException e) {
      // It is closed.
    }
  }

  private void end(Socket client) {
    try {
      client.getInputStream().readNBytes(1);
      if (answer == Answer.CLEARTEXT) {
        client.getOutputStream().write("HTTP/1.1 400\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        // Until the client has read that, and ends the connection.
        client.shutdownOutput();
        client.getInputStream().readAllBytes();
      }
    } catch (IOException e) {
      // The client was faster.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
