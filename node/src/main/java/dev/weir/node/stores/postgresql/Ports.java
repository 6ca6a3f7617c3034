package dev.weir.node.stores.postgresql;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/** Ports of the loopback address. */
final class Ports {
  private static final int ANY = 0;
  private static final int HIGHEST = 65_535;

  private Ports() {}

  /**
   * Returns the port recorded in the file if it is free, so that addresses stay; else a free port.
   */
  static int recordedOrFree(Path file) throws IOException {
    if (Files.exists(file)) {
      String recorded = Files.readString(file).strip();
      if (recorded.matches("[1-9]\\d{0,4}")) {
        int port = Integer.parseInt(recorded);
        if (port <= HIGHEST && isFree(port)) {
          return port;
        }
      }
    }
    return free();
  }

  /** Returns a port that was free a moment ago. */
  static int free() throws IOException {
    try (ServerSocket socket = listen(ANY)) {
      return socket.getLocalPort();
    }
  }

  /** Returns true if the port is free. */
  static boolean isFree(int port) {
    try (ServerSocket socket = listen(port)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  // Reuses the address as PostgreSQL does, so that connections in TIME_WAIT do not matter.
  private static ServerSocket listen(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
