package dev.weir.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Finds a port of the loopback address that no other process listens on. */
public final class FreePort {
  private FreePort() {}

  public static int find() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
