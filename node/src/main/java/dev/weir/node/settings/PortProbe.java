package dev.weir.node.settings;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;

/**
 * Checks that the ports are available before anything is started, so that a port in use is not
 * reported only after ten seconds of creating a database. Binding a port later may still fail.
 */
public final class PortProbe {
  private PortProbe() {}

  /** A port to listen on, and the setting that names it; 0 is any free port. */
  public record Listener(Setting setting, String host, int port) {
    private boolean isSameAs(Listener other) {
      return port == other.port && port != 0 && overlap(host, other.host);
    }
  }

  /** Throws if two listeners have the same port, or if a port is in use or not permitted. */
  public static void check(List<Listener> listeners) {
    for (int i = 0; i < listeners.size(); i++) {
      Listener one = listeners.get(i);
      for (Listener other : listeners.subList(i + 1, listeners.size())) {
        if (one.isSameAs(other)) {
          throw new InvalidSettingException(
              other.setting().key(),
              "must not be the port of %s too".formatted(one.setting().key()));
        }
      }
    }
    listeners.forEach(PortProbe::bind);
  }

  private static void bind(Listener listener) {
    if (listener.port() == 0) {
      return;
    }
    try (ServerSocket socket = new ServerSocket()) {
      // As Netty does, so that connections in TIME_WAIT do not matter.
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(listener.host(), listener.port()));
    } catch (IOException e) {
      throw inUse(listener.setting(), listener.host(), listener.port());
    }
  }

  private static boolean overlap(String one, String other) {
    InetAddress first = new InetSocketAddress(one, 0).getAddress();
    InetAddress second = new InetSocketAddress(other, 0).getAddress();
    // A host that cannot be resolved is rejected elsewhere.
    return first != null
        && second != null
        && (first.isAnyLocalAddress() || second.isAnyLocalAddress() || first.equals(second));
  }

  public static InvalidSettingException inUse(Setting setting, String host, int port) {
    return new InvalidSettingException(
        setting.key(),
        "%d on %s cannot be listened on: it is in use or not allowed".formatted(port, host));
  }
}
