package dev.weir.server.wiring;

import dev.weir.TrustedProxies;
import dev.weir.server.envoy.EnvoyServer;
import dev.weir.server.http.Exposure;
import dev.weir.server.http.FailedLogins;
import dev.weir.server.http.HttpSettings;
import dev.weir.server.http.ListenerSettings;
import dev.weir.server.http.RequestMemory;
import dev.weir.server.metrics.EnvoyMetrics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;

/** The server of Envoy's rate limit service, listening on its port. */
final class EnvoyPort implements AutoCloseable {
  private final EnvoyServer server;
  private final Drain.Patience patience;

  private EnvoyPort(EnvoyServer server, Drain.Patience patience) {
    this.server = server;
    this.patience = patience;
  }

  /**
   * The address to listen on, who can reach it, its max connections, and how long a drain may take.
   */
  record Address(
      InetSocketAddress socket,
      Exposure exposure,
      ListenerSettings.Connections connections,
      Drain.Patience patience) {}

  /** Returns the address to listen on; empty if the service is disabled. */
  static Optional<Address> address(
      Settings settings, TrustedProxies proxies, Drain.Patience patience) {
    ListenerSettings.Connections connections =
        ConnectionSettings.of(
            settings,
            Setting.GRPC_MAX_CONNECTIONS,
            Setting.GRPC_MAX_CONNECTIONS_PER_ADDRESS,
            proxies);
    if (settings.optional(Setting.GRPC_PORT).isEmpty()) {
      return Optional.empty();
    }
    int port = settings.number(Setting.GRPC_PORT, 0, 65_535);
    ListenAddress host = ListenAddress.of(settings, Setting.GRPC_HOST);
    refuseWithoutKeys(settings, host.exposure());
    return Optional.of(
        new Address(
            new InetSocketAddress(host.address(), port), host.exposure(), connections, patience));
  }

  /**
   * Refuses an address that other machines reach without keys: a client that can call can also
   * return units, and so lift any limit.
   */
  private static void refuseWithoutKeys(Settings settings, Exposure exposure) {
    if (exposure == Exposure.NETWORK && settings.optional(Setting.CLIENT_KEYS).isEmpty()) {
      throw new InvalidSettingException(
          Setting.GRPC_HOST.key(),
          "may be %s only if weir.client-keys is set".formatted(settings.text(Setting.GRPC_HOST)));
    }
  }

  static EnvoyPort start(
      Address address,
      HttpSettings rest,
      LimitParts limits,
      EnvoyMetrics metrics,
      FailedLogins failures) {
    EnvoyServer.Parts parts =
        new EnvoyServer.Parts(
            limits.index(),
            limits.evaluator(),
            limits.stores().limits(),
            limits.checks().isBlocking(),
            metrics,
            RequestMemory.ofThisProcess());
    try {
      return new EnvoyPort(
          EnvoyServer.start(
              address.socket(),
              address.connections(),
              parts,
              rest.at(address.exposure()).isOpenToClients()
                  ? Optional.empty()
                  : Optional.of(new EnvoyServer.Keys(rest::isAccepted, failures))),
          address.patience());
    } catch (IOException e) {
      throw new InvalidSettingException(
          Setting.GRPC_PORT.key(),
          "%d on %s cannot be listened on: it is in use or not allowed"
              .formatted(address.socket().getPort(), address.socket().getHostString()));
    }
  }

  int port() {
    return server.port();
  }

  void drain() {
    server.drain(patience.notice(), patience.most());
  }

  @Override
  public void close() {
    server.close();
  }
}
