package dev.weir.server.wiring;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * Looks whether a port can be listened on, before anything is started: to make a database for ten
 * seconds and then find the port in use helps no one. Whoever listens later still has to expect it.
 */
final class PortProbe {
  private PortProbe() {}

  /** Throws if the port is in use, or not allowed; 0 is always free. */
  static void check(Setting setting, String host, int port) {
    if (port == 0) {
      return;
    }
    try (ServerSocket socket = new ServerSocket()) {
      // As Netty does: connections that linger after a close do not matter.
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(host, port));
    } catch (IOException e) {
      throw inUse(setting, host, port);
    }
  }

  static InvalidSettingException inUse(Setting setting, String host, int port) {
    return new InvalidSettingException(
        setting.key(),
        "%d on %s cannot be listened on: it is in use or not allowed".formatted(port, host));
  }
}
