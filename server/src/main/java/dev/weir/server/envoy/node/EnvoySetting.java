package dev.weir.server.envoy.node;

import dev.weir.node.settings.Setting;

/** The settings of Envoy's rate limit service. */
public enum EnvoySetting implements Setting {
  HOST(
      "weir.grpc.host",
      "127.0.0.1",
      "Address of the gRPC port. Addresses other than loopback require weir.client-keys, or"
          + " weir.allow-anonymous-clients."),
  PORT(
      "weir.grpc.port",
      "",
      "Port of the Envoy rate limit service. 0 picks a free port; empty disables it."),
  MAX_CONNECTIONS(
      "weir.grpc.max-connections",
      "",
      "Max client connections of the gRPC port. Empty means one for each 64 KiB of the max heap, at"
          + " least 256 and up to 20000, and up to a fifth of the file descriptors beyond 256."),
  MAX_CONNECTIONS_PER_ADDRESS(
      "weir.grpc.max-connections-per-address",
      "",
      "Max connections of one address (IPv6: of one /64 network) to the gRPC port. Addresses of"
          + " weir.trusted-proxies are not limited. Empty means half of the max connections.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  EnvoySetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
