package dev.weir.store.tck.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port of loopback for a server in another process.
 *
 * <p>It lies below the range from which the system takes the ports of connections. In that range, a
 * client that tries again and again until the server listens can be given the server's port and be
 * connected with itself; the server then finds its port in use.
 */
public final class FreePort {
  private static final int FROM = 20_000;
  private static final int TO = 32_000;

  private FreePort() {}

  public static int find() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FROM, TO);
      if (isFree(port)) {
        return port;
      }
    }
  }

  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort() == port;
    } catch (IOException e) {
      return false;
    }
  }
}
