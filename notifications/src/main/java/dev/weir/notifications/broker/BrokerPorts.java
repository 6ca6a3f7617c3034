package dev.weir.notifications.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.function.IntUnaryOperator;

/**
 * Where a broker listens on loopback.
 *
 * @param client the port by which clients reach it
 */
record BrokerPorts(int broker, int client, int controller) {
  static BrokerPorts choose(IntUnaryOperator relay) throws IOException {
    int broker = freePort();
    return new BrokerPorts(broker, relay.applyAsInt(broker), freePort());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
