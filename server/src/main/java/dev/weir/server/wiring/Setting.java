package dev.weir.server.wiring;

import java.util.Locale;

/**
 * A setting: its name, what it is without being set, and what it is for. The list is the
 * documentation: {@code weir settings} prints it.
 */
public enum Setting {
  HOST(
      "weir.host",
      "127.0.0.1",
      "address to listen on; others than loopback need weir.admin-token or weir.oidc.issuer"),
  PORT("weir.port", "8080", "port to listen on, 0 for a free one"),
  GRPC_HOST(
      "weir.grpc.host",
      "127.0.0.1",
      "address of the gRPC port; others than loopback need weir.client-keys"),
  GRPC_PORT(
      "weir.grpc.port", "", "port of Envoy's rate limit service, 0 for a free one; none without"),
  DATA("weir.data", "", "folder of the embedded PostgreSQL; without one ~/.local/share/weir"),
  DB_URL("weir.db.url", "", "jdbc:postgresql://… of a real server in place of the embedded one"),
  DB_USER("weir.db.user", "", "user of that server"),
  DB_PASSWORD("weir.db.password", "", "password of that user"),
  DB_POOL_MIN("weir.db.pool.min", "5", "connections kept open"),
  DB_POOL_MAX("weir.db.pool.max", "30", "max connections, at least 3"),
  DB_WAIT(
      "weir.db.wait",
      "PT3S",
      "how long a request waits for a connection before 503, and a decision about limits for its"
          + " turn and for its answer"),
  DB_MIGRATE("weir.db.migrate", "true", "bring the tables up to date at start"),
  SLOTS_STORE(
      "weir.slots.store", "postgres", "where slots are kept: postgres, or memory (not kept)"),
  SLOTS_DEFAULT_NAME("weir.slots.default-name", "default", "configuration of requests without one"),
  SLOTS_CREATE_DEFAULT(
      "weir.slots.create-default", "true", "make that configuration, 100 per PT4S, if absent"),
  SLOTS_CACHE_TTL("weir.slots.cache-ttl", "PT5S", "how long a configuration is cached"),
  SLOTS_LANES("weir.slots.lanes", "1", "transactions that may be under way at once on this node"),
  SLOTS_LARGEST_BATCH("weir.slots.largest-batch", "4096", "requests in one transaction at most"),
  SLOTS_UPKEEP_EVERY(
      "weir.slots.upkeep-every", "PT30S", "how often leaked and old slots are looked for"),
  SLOTS_LEAK_GRACE(
      "weir.slots.leak-grace",
      "PT1M",
      "how long after the later of its time and its assignment a slot counts as leaked"),
  SLOTS_RECLAIM("weir.slots.reclaim", "false", "take leaked slots back"),
  SLOTS_RETENTION(
      "weir.slots.retention",
      "",
      "how long slots are kept after the later of their time and their assignment, such as P90D, "
          + "at least as long as a window; for ever without"),
  LIMITS_STORE(
      "weir.limits.store",
      "memory",
      "where limits are counted: memory (of this node alone), postgresql or redis"),
  LIMITS_FALLBACK(
      "weir.limits.fallback",
      "postgresql",
      "who counts for rules that say fallback while redis is gone: postgresql, or none"),
  LIMITS_NODES(
      "weir.limits.nodes",
      "1",
      "nodes among which limits are shared out for rules that say local, while the store is gone"),
  LIMITS_MOST_KEYS("weir.limits.most-keys", "10000000", "keys that are counted in memory at most"),
  LIMITS_REQUEST_TTL(
      "weir.limits.request-ttl", "PT10M", "how long a demand may be repeated by its request id"),
  LIMITS_CACHE_TTL(
      "weir.limits.cache-ttl", "PT5S", "how long rules and resources are cached at most"),
  REDIS_URI(
      "weir.redis.uri",
      "",
      "redis://host:port, redis-sentinel://… or redis-cluster://… for weir.limits.store"),
  REDIS_TRUST("weir.redis.trust", "", "PEM file of certificates to trust in Redis; Java's without"),
  ADMIN_TOKEN(
      "weir.admin-token",
      "",
      "what administrators send as Authorization: Bearer; at least 16 characters"),
  ALLOWED_HOSTS(
      "weir.allowed-hosts",
      "",
      "names besides its own that Weir answers to on loopback while anything is open without a"
          + " token, separated by commas; * for all"),
  CLIENT_KEYS(
      "weir.client-keys",
      "",
      "keys of clients, separated by commas, of at least 16 characters each; open without"),
  TRUSTED_PROXIES(
      "weir.trusted-proxies",
      "",
      "addresses and networks whose Forwarded and X-Forwarded-For are believed, such as 10.0.0.0/8"),
  OIDC_ISSUER(
      "weir.oidc.issuer", "", "https://… of an OpenID Connect issuer whose tokens are taken too"),
  OIDC_AUDIENCE("weir.oidc.audience", "", "for whom its tokens must be; needed with an issuer"),
  OIDC_ADMIN_ROLE("weir.oidc.admin-role", "weir-admin", "role of administrators in its tokens"),
  GATEWAY_PORT("weir.gateway.port", "", "port of the gateway, 0 for a free one; none without"),
  GATEWAY_HOST("weir.gateway.host", "127.0.0.1", "address on which the gateway listens"),
  GATEWAY_ROUTES(
      "weir.gateway.routes",
      "",
      "where paths go, such as /api/** = http://127.0.0.1:9000, /** = h2c://other:9001"),
  GATEWAY_TRUST(
      "weir.gateway.trust", "", "PEM file of certificates to trust in upstreams; Java's without"),
  GATEWAY_HEAD_TIMEOUT(
      "weir.gateway.head-timeout", "PT10S", "how long a client may take for the head of a request"),
  GATEWAY_IDLE_TIMEOUT(
      "weir.gateway.idle-timeout",
      "PT1M",
      "how long a connection of a client, a body or a WebSocket may stand still"),
  GATEWAY_CONNECT_TIMEOUT(
      "weir.gateway.connect-timeout", "PT3S", "how long an upstream may take to be connected to"),
  GATEWAY_ANSWER_TIMEOUT(
      "weir.gateway.answer-timeout", "PT30S", "how long an upstream may take to begin its answer"),
  GATEWAY_UPSTREAM_IDLE(
      "weir.gateway.upstream-idle", "PT4S", "how long an unused connection to an upstream is kept"),
  GATEWAY_MOST_CONNECTIONS(
      "weir.gateway.most-connections", "20000", "connections of clients at most"),
  GATEWAY_MOST_UPSTREAM_CONNECTIONS(
      "weir.gateway.most-upstream-connections", "1000", "connections to one upstream at most"),
  GATEWAY_LARGEST_HEADER(
      "weir.gateway.largest-header", "16384", "bytes of all header fields of a request or answer"),
  GATEWAY_LONGEST_TARGET(
      "weir.gateway.longest-target", "8192", "bytes of the first line of a request"),
  GATEWAY_ACCESS_LOG(
      "weir.gateway.access-log", "false", "log a line for each request that comes to the gateway"),
  DRAIN("weir.drain", "PT20S", "how long a stop may take for requests under way"),
  DRAIN_NOTICE(
      "weir.drain.notice", "PT0.5S", "how long a stop goes on listening after it is not ready"),
  DRAIN_IDLE("weir.drain.idle", "PT2S", "how long a stop keeps connections that ask nothing"),
  TRACING_ENDPOINT(
      "weir.tracing.endpoint", "", "http://… of an OTLP collector for traces; none without"),
  TRACING_PERCENT(
      "weir.tracing.percent", "100", "of the requests traced that bring no decision of their own"),
  LOG_FORMAT("weir.log.format", "text", "text or json"),
  LOG_LEVEL("weir.log.level", "info", "error, warn, info, debug or trace");

  private final String key;
  private final String absent;
  private final String meaning;

  Setting(String key, String absent, String meaning) {
    this.key = key;
    this.absent = absent;
    this.meaning = meaning;
  }

  public String key() {
    return key;
  }

  public String absent() {
    return absent;
  }

  public String meaning() {
    return meaning;
  }

  /** The environment variable of the same meaning. */
  public String variable() {
    return key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }
}
