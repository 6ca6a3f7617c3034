package dev.weir.server.wiring;

import dev.weir.http.authentication.Exposure;
import dev.weir.server.gateway.Gateway;
import dev.weir.server.rules.CheckSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listening servers of a node. */
record NodeServers(WebServer web, Optional<EnvoyPort> envoy, Optional<Gateway> gateway) {
  private static final Logger log = LoggerFactory.getLogger(NodeServers.class);

  /**
   * Starts the servers, the web server last because it reports that the node is ready.
   *
   * @param open receives each of the other servers as soon as it listens
   */
  static NodeServers start(
      NodeSettings settings, NodeParts parts, StopSignal stop, OpenParts open) {
    Optional<EnvoyPort> envoy =
        settings
            .envoy()
            .map(
                address ->
                    open.add(
                        EnvoyPort.start(
                            address,
                            settings.http(),
                            parts.limits(),
                            parts.envoyMetrics(),
                            parts.failedLogins())));
    Optional<Gateway> gateway =
        settings
            .gateway()
            .map(
                given ->
                    open.add(
                        GatewayParts.start(
                            given,
                            parts.routes().table(),
                            parts.limits(),
                            settings.http().trustedProxies(),
                            parts.gatewayMetrics())));
    stop.check();
    warnOfAnonymousClients(settings);
    boolean isBlocking = parts.limits().checks().isBlocking();
    WebServer web =
        WebServer.start(
            settings.web(), parts.beans(settings), Map.of(CheckSettings.BLOCKING, isBlocking));
    return new NodeServers(web, envoy, gateway);
  }

  private static void warnOfAnonymousClients(NodeSettings settings) {
    if (settings.web().exposure() == Exposure.NETWORK_WITH_ANONYMOUS_CLIENTS) {
      log.warn(
          "Every program that reaches {} may pay and send without a credential:"
              + " weir.allow-anonymous-clients is true",
          settings.web().host());
    }
  }

  /**
   * Finishes requests in progress and refuses new ones, on all ports at the same time; then closes
   * the web server. The other servers are closed with the parts.
   */
  void drain(Drain.Patience patience) {
    Optional<Thread> leaving = envoy.map(port -> Thread.startVirtualThread(port::drain));
    List<Drain.Door> doors = new ArrayList<>(List.of(web));
    gateway.map(NodeServers::door).ifPresent(doors::add);
    Drain.run(patience, doors);
    web.close();
    leaving.ifPresent(NodeServers::await);
  }

  private static void await(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Drain.Door door(Gateway gateway) {
    return new Drain.Door() {
      @Override
      public void begin() {
        gateway.beginDraining();
      }

      @Override
      public void refuseNewcomers(Duration arrival) throws InterruptedException {
        gateway.refuseNewcomers(arrival);
      }

      @Override
      public CompletableFuture<Void> endWhenIdle(Duration idle) {
        return gateway.endWhenIdle(idle);
      }

      @Override
      public int count() {
        return gateway.count();
      }
    };
  }
}
