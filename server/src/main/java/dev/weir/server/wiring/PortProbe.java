package dev.weir.server.wiring;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;

/**
 * Looks whether a port can be listened on, before anything is started: to make a database for ten
 * seconds and then find the port in use helps no one. Whoever listens later still has to expect it.
 */
final class PortProbe {
  private static final int MAX_PORT = 65_535;

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

  /** The settings of something that listens. */
  record Listener(Setting host, Setting port) {
    private boolean listensOnAKnownPort(Settings settings) {
      return settings.optional(port).isPresent() && number(settings) != 0;
    }

    private int number(Settings settings) {
      return settings.number(port, 0, MAX_PORT);
    }
  }

  /** Throws if two are to listen on the same port. */
  static void refuseSame(Settings settings, List<Listener> listeners) {
    List<Listener> known =
        listeners.stream().filter(each -> each.listensOnAKnownPort(settings)).toList();
    for (int i = 0; i < known.size(); i++) {
      Listener one = known.get(i);
      for (Listener other : known.subList(i + 1, known.size())) {
        if (one.number(settings) == other.number(settings)
            && overlap(settings.text(one.host()), settings.text(other.host()))) {
          throw new InvalidSettingException(
              other.port().key(), "must not be the port of %s too".formatted(one.port().key()));
        }
      }
    }
  }

  private static boolean overlap(String one, String other) {
    InetAddress first = new InetSocketAddress(one, 0).getAddress();
    InetAddress second = new InetSocketAddress(other, 0).getAddress();
    // A name that is none is refused elsewhere.
    return first != null
        && second != null
        && (first.isAnyLocalAddress() || second.isAnyLocalAddress() || first.equals(second));
  }

  static InvalidSettingException inUse(Setting setting, String host, int port) {
    return new InvalidSettingException(
        setting.key(),
        "%d on %s cannot be listened on: it is in use or not allowed".formatted(port, host));
  }
}
