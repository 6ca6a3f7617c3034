package dev.weir.server.gateway.node;

import dev.weir.node.settings.Setting;

/** The settings of the gateway. */
public enum GatewaySetting implements Setting {
  PORT("weir.gateway.port", "", "Port of the gateway. 0 picks a free port; empty disables it."),
  HOST("weir.gateway.host", "127.0.0.1", "Address that the gateway listens on."),
  ROUTES(
      "weir.gateway.routes",
      "",
      "Path patterns and their upstreams, separated by commas, such as /api/** ="
          + " http://127.0.0.1:9000, /** = h2c://other:9001."),
  TRUST(
      "weir.gateway.trust",
      "",
      "PEM file of the certificates to trust for upstreams. Empty means those of the Java"
          + " runtime."),
  HEAD_TIMEOUT(
      "weir.gateway.head-timeout",
      "PT10S",
      "Max time for a client to send the head of a request. ISO-8601 duration."),
  IDLE_TIMEOUT(
      "weir.gateway.idle-timeout",
      "PT1M",
      "Max time without traffic on a client connection, in a body or on a WebSocket. ISO-8601"
          + " duration."),
  CONNECT_TIMEOUT(
      "weir.gateway.connect-timeout",
      "PT3S",
      "Max time to connect to an upstream. ISO-8601 duration."),
  ANSWER_TIMEOUT(
      "weir.gateway.answer-timeout",
      "PT30S",
      "Max time for an upstream to start its response. ISO-8601 duration."),
  UPSTREAM_IDLE(
      "weir.gateway.upstream-idle",
      "PT4S",
      "How long an idle connection to an upstream is kept. ISO-8601 duration."),
  MIN_RATE(
      "weir.gateway.min-rate",
      "240",
      "Min bytes per second at which a request body must arrive until its response begins. 0"
          + " allows any rate."),
  MAX_CONNECTIONS(
      "weir.gateway.max-connections",
      "",
      "Max client connections of the gateway. Empty means one for each 64 KiB of the max heap, at"
          + " least 256 and up to 20000, and up to a fifth of the file descriptors beyond 256."),
  MAX_CONNECTIONS_PER_ADDRESS(
      "weir.gateway.max-connections-per-address",
      "",
      "Max connections of one address (IPv6: of one /64 network) to the gateway. Addresses of"
          + " weir.trusted-proxies are not limited. Empty means half of the max connections."),
  MAX_UPSTREAM_CONNECTIONS(
      "weir.gateway.max-upstream-connections",
      "1000",
      "Max connections to one upstream, shared equally by the threads of the gateway: one for each"
          + " processor, and no more than there are connections."),
  MAX_HEADER(
      "weir.gateway.max-header",
      "16384",
      "Max size of all header fields of a request or response, in bytes."),
  MAX_TARGET("weir.gateway.max-target", "8192", "Max length of the request line, in bytes.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  GatewaySetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
