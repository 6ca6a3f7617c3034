package dev.weir.server.wiring;

import dev.weir.server.http.Readiness;
import dev.weir.server.operations.OperationsPort;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a lone sender answers operators. */
final class OperationsAddress {
  private static final Logger log = LoggerFactory.getLogger(OperationsAddress.class);

  private OperationsAddress() {}

  /** Returns the address to listen on; empty if it is disabled. */
  static Optional<InetSocketAddress> of(Settings settings) {
    if (settings.optional(Setting.SENDER_PORT).isEmpty()) {
      return Optional.empty();
    }
    int port = settings.number(Setting.SENDER_PORT, 0, 65_535);
    String host = settings.text(Setting.SENDER_HOST);
    try {
      return Optional.of(new InetSocketAddress(InetAddress.getByName(host), port));
    } catch (UnknownHostException e) {
      throw new InvalidSettingException(Setting.SENDER_HOST.key(), "is no address: " + host);
    }
  }

  static OperationsPort listen(
      InetSocketAddress address, Readiness readiness, PrometheusRegistry metrics) {
    try {
      OperationsPort port = OperationsPort.start(address, readiness, metrics);
      log.info("Metrics and health are at {}:{}", address.getHostString(), port.port());
      return port;
    } catch (IOException e) {
      throw PortProbe.inUse(Setting.SENDER_PORT, address.getHostString(), address.getPort());
    }
  }
}
