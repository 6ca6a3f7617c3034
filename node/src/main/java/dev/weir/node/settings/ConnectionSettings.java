package dev.weir.node.settings;

import dev.weir.TrustedProxies;
import dev.weir.http.connections.ListenerSettings;

/** Reads the settings of the connections of a port. */
public final class ConnectionSettings {
  private static final int MAX = 1_000_000;

  private ConnectionSettings() {}

  public static ListenerSettings.Connections of(
      Settings settings, Setting max, Setting maxPerAddress, TrustedProxies proxies) {
    int connections =
        settings.optional(max).isEmpty()
            ? ListenerSettings.Connections.defaultMax()
            : settings.number(max, 1, MAX);
    int perAddress =
        settings.optional(maxPerAddress).isEmpty()
            ? ListenerSettings.Connections.defaultPerAddress(connections)
            : settings.number(maxPerAddress, 1, MAX);
    return new ListenerSettings.Connections(connections, perAddress, proxies);
  }
}
