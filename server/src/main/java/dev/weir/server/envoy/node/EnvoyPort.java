package dev.weir.server.envoy.node;

import dev.weir.TrustedProxies;
import dev.weir.http.authentication.Exposure;
import dev.weir.http.authentication.FailedLogins;
import dev.weir.http.authentication.HttpSettings;
import dev.weir.http.connections.ListenerSettings;
import dev.weir.node.lifecycle.Drain;
import dev.weir.node.settings.ConnectionSettings;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ListenAddress;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import dev.weir.server.envoy.EnvoyServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** The server of Envoy's rate limit service, listening on its port. */
final class EnvoyPort implements AutoCloseable {
  private final EnvoyServer server;
  private final String host;
  private final Drain.Times drainTimes;

  private EnvoyPort(EnvoyServer server, String host, Drain.Times drainTimes) {
    this.server = server;
    this.host = host;
    this.drainTimes = drainTimes;
  }

  /**
   * The address to listen on, who can reach it, its max connections, and how long a drain may take.
   */
  record Address(
      InetSocketAddress socket,
      Exposure exposure,
      ListenerSettings.Connections connections,
      Drain.Times drainTimes) {}

  /** Returns the address to listen on; empty if the service is disabled. */
  static Optional<Address> address(
      Settings settings, TrustedProxies proxies, Drain.Times drainTimes) {
    ListenerSettings.Connections connections =
        ConnectionSettings.of(
            settings,
            EnvoySetting.MAX_CONNECTIONS,
            EnvoySetting.MAX_CONNECTIONS_PER_ADDRESS,
            proxies);
    if (settings.optional(EnvoySetting.PORT).isEmpty()) {
      return Optional.empty();
    }
    int port = settings.number(EnvoySetting.PORT, 0, 65_535);
    ListenAddress host = ListenAddress.of(settings, EnvoySetting.HOST);
    refuseWithoutKeys(settings, host.exposure());
    return Optional.of(
        new Address(
            new InetSocketAddress(host.address(), port), host.exposure(), connections, drainTimes));
  }

  /**
   * Refuses an address that other machines reach without keys: a client that can call can also
   * return units, and so lift any limit.
   */
  private static void refuseWithoutKeys(Settings settings, Exposure exposure) {
    if (exposure == Exposure.NETWORK && settings.optional(ServerSetting.CLIENT_KEYS).isEmpty()) {
      throw new InvalidSettingException(
          EnvoySetting.HOST.key(),
          "may be %s only if weir.client-keys is set".formatted(settings.text(EnvoySetting.HOST)));
    }
  }

  static EnvoyPort start(
      Address address, HttpSettings rest, EnvoyServer.Parts parts, FailedLogins failures) {
    try {
      return new EnvoyPort(
          EnvoyServer.start(
              address.socket(),
              address.connections(),
              parts,
              rest.at(address.exposure()).isOpenToClients()
                  ? Optional.empty()
                  : Optional.of(new EnvoyServer.Keys(rest::isAccepted, failures))),
          address.socket().getHostString(),
          address.drainTimes());
    } catch (IOException e) {
      throw new InvalidSettingException(
          EnvoySetting.PORT.key(),
          "%d on %s cannot be listened on: it is in use or not allowed"
              .formatted(address.socket().getPort(), address.socket().getHostString()));
    }
  }

  URI address() {
    try {
      return new URI("grpc", null, host, server.port(), null, null, null);
    } catch (URISyntaxException e) {
      throw new IllegalStateException("an address that is listened on is one", e);
    }
  }

  void drain() {
    server.drain(drainTimes.notice(), drainTimes.max());
  }

  @Override
  public void close() {
    server.close();
  }
}
