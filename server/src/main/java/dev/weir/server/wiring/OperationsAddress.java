package dev.weir.server.wiring;

import dev.weir.http.authentication.Exposure;
import dev.weir.http.authentication.HttpSettings;
import dev.weir.http.endpoints.Readiness;
import dev.weir.server.operations.OperationsPort;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a lone sender answers operators. */
final class OperationsAddress {
  private static final Logger log = LoggerFactory.getLogger(OperationsAddress.class);

  private OperationsAddress() {}

  /** The address to listen on, and the credentials that it accepts. */
  record Listener(InetSocketAddress socket, HttpSettings access) {}

  /** Returns the address to listen on; empty if it is disabled. */
  static Optional<Listener> of(Settings settings) {
    if (settings.optional(Setting.SENDER_PORT).isEmpty()) {
      return Optional.empty();
    }
    int port = settings.number(Setting.SENDER_PORT, 0, 65_535);
    ListenAddress host = ListenAddress.of(settings, Setting.SENDER_HOST);
    if (host.exposure() == Exposure.NETWORK
        && settings.optional(Setting.CLIENT_KEYS).isEmpty()
        && settings.optional(Setting.ADMIN_TOKEN).isEmpty()) {
      throw new InvalidSettingException(
          Setting.SENDER_HOST.key(),
          "may be %s only if weir.client-keys or weir.admin-token is set"
              .formatted(settings.text(Setting.SENDER_HOST)));
    }
    return Optional.of(
        new Listener(
            new InetSocketAddress(host.address(), port),
            NodeSettings.http(settings, host.exposure())));
  }

  static OperationsPort listen(Listener listener, Readiness readiness, PrometheusRegistry metrics) {
    InetSocketAddress address = listener.socket();
    try {
      OperationsPort port = OperationsPort.start(address, listener.access(), readiness, metrics);
      log.info("Metrics and health are at {}:{}", address.getHostString(), port.port());
      return port;
    } catch (IOException e) {
      throw PortProbe.inUse(Setting.SENDER_PORT, address.getHostString(), address.getPort());
    }
  }
}
