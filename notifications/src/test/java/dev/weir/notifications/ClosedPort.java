package dev.weir.notifications;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A port of loopback that refuses connections: no other program can listen on it meanwhile. */
public final class ClosedPort implements AutoCloseable {
  private final Socket bound = new Socket();

  public ClosedPort() throws IOException {
    bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  public int number() {
    return bound.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    bound.close();
  }
}
