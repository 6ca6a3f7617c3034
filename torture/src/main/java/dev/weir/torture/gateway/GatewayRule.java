package dev.weir.torture.gateway;

import java.util.Locale;

/** The rules in front of the upstream, each for paths of its own. */
enum GatewayRule {
  WINDOW(12, "\"allowedRequests\":12,\"windowSeconds\":36000"),
  /** PostgreSQL counts while Redis is unavailable. */
  FALLBACK(12, "\"allowedRequests\":12,\"windowSeconds\":36000,\"onStoreFailure\":\"fallback\""),
  PLACES(2, "\"algorithm\":\"CONCURRENCY\",\"maxConcurrent\":2,\"leaseTtl\":\"PT10S\""),
  /** No rule covers its paths. */
  FREE(0, "");

  /** Of {@link #PLACES}. */
  static final long LEASE_SECONDS = 10;

  private final int limit;
  private final String quota;

  GatewayRule(int limit, String quota) {
    this.limit = limit;
    this.quota = quota;
  }

  int limit() {
    return limit;
  }

  String name(String round) {
    return round + "-gateway-" + name().toLowerCase(Locale.ROOT);
  }

  /** The path of all requests of it. */
  String path(String round) {
    return "/" + round + "-gateway/" + name().toLowerCase(Locale.ROOT);
  }

  String json(String round) {
    return "{\"name\":\"%s\",\"pathPattern\":\"%s/**\",\"keyBy\":[\"header:X-Key\"],%s}"
        .formatted(name(round), path(round), quota);
  }
}
