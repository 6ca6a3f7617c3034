package dev.weir.torture.stage;

import dev.weir.server.faults.Ports;
import dev.weir.server.faults.Relay;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The ways through the gateway of a node.
 *
 * @param ownPort where the gateway listens
 * @param fromClients the way to it
 * @param toUpstream the way from it
 */
record GatewayWays(int ownPort, Relay fromClients, Relay toUpstream) {
  static GatewayWays to(Upstream upstream) throws IOException {
    int ownPort = Ports.free();
    return new GatewayWays(ownPort, new Relay(ownPort), new Relay(upstream.port()));
  }

  /** The settings of a node. */
  Map<String, String> environment() {
    return Map.of(
        "WEIR_GATEWAY_PORT",
        Integer.toString(ownPort),
        "WEIR_GATEWAY_ROUTES",
        "/** = http://127.0.0.1:" + toUpstream.port(),
        "WEIR_GATEWAY_CONNECT_TIMEOUT",
        "PT2S",
        "WEIR_GATEWAY_ANSWER_TIMEOUT",
        "PT3S");
  }

  int port() {
    return fromClients.port();
  }

  List<Way> ways(Node node) {
    return List.of(
        new Way("clients to the gateway of " + node, fromClients),
        new Way("the gateway of " + node + " to its upstream", toUpstream));
  }
}
