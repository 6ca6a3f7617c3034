package dev.weir.notifications.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;

/**
 * Where a broker listens on loopback.
 *
 * <p>Its ports lie below the range from which the system takes the ports of connections. In that
 * range, a client that tries again and again until the broker listens can be given the broker's
 * port and be connected with itself; the broker then finds its port in use.
 *
 * @param client the port by which clients reach it
 */
record BrokerPorts(int broker, int client, int controller) {
  private static final int FROM = 20_000;
  private static final int TO = 32_000;
  private static final int ATTEMPTS = 1_000;

  static BrokerPorts choose(IntUnaryOperator relay) throws IOException {
    int broker = freePort();
    int controller = freePort();
    while (controller == broker) {
      controller = freePort();
    }
    return new BrokerPorts(broker, relay.applyAsInt(broker), controller);
  }

  private static int freePort() throws IOException {
    for (int i = 1; i < ATTEMPTS; i++) {
      int port = ThreadLocalRandom.current().nextInt(FROM, TO);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IOException(
        "no free port found for the broker from %d to %d".formatted(FROM, TO - 1));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort() == port;
    } catch (IOException e) {
      return false;
    }
  }
}
