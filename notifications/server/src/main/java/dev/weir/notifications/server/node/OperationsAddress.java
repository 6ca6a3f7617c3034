package dev.weir.notifications.server.node;

import dev.weir.http.authentication.Exposure;
import dev.weir.http.authentication.HttpSettings;
import dev.weir.http.endpoints.Readiness;
import dev.weir.node.operations.OperationsPort;
import dev.weir.node.settings.AccessSettings;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ListenAddress;
import dev.weir.node.settings.PortProbe;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a lone sender answers operators. */
public final class OperationsAddress {
  private static final Logger log = LoggerFactory.getLogger(OperationsAddress.class);

  private OperationsAddress() {}

  /** The address to listen on, and the credentials that it accepts. */
  public record Listener(InetSocketAddress socket, HttpSettings access) {}

  /** Returns the address to listen on; empty if it is disabled. */
  public static Optional<Listener> of(Settings settings) {
    if (settings.optional(NotificationSetting.SENDER_PORT).isEmpty()) {
      return Optional.empty();
    }
    int port = settings.number(NotificationSetting.SENDER_PORT, 0, 65_535);
    ListenAddress host = ListenAddress.of(settings, NotificationSetting.SENDER_HOST);
    if (host.exposure() == Exposure.NETWORK
        && settings.optional(ServerSetting.CLIENT_KEYS).isEmpty()
        && settings.optional(ServerSetting.ADMIN_TOKEN).isEmpty()) {
      throw new InvalidSettingException(
          NotificationSetting.SENDER_HOST.key(),
          "may be %s only if weir.client-keys or weir.admin-token is set"
              .formatted(settings.text(NotificationSetting.SENDER_HOST)));
    }
    return Optional.of(
        new Listener(
            new InetSocketAddress(host.address(), port),
            AccessSettings.http(settings, host.exposure())));
  }

  public static OperationsPort listen(
      Listener listener, Readiness readiness, PrometheusRegistry metrics) {
    InetSocketAddress address = listener.socket();
    try {
      OperationsPort port = OperationsPort.start(address, listener.access(), readiness, metrics);
      log.info("Metrics and health are at {}:{}", address.getHostString(), port.port());
      return port;
    } catch (IOException e) {
      throw PortProbe.inUse(
          NotificationSetting.SENDER_PORT, address.getHostString(), address.getPort());
    }
  }
}
