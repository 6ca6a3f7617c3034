package dev.weir.node.settings;

/**
 * The settings of the server itself, its port, who may call, draining, traces and logs, and what
 * several capabilities read.
 */
public enum ServerSetting implements Setting {
  HOST(
      "weir.host",
      "127.0.0.1",
      "Address to listen on. Addresses other than loopback require weir.admin-token or"
          + " weir.oidc.issuer; every caller then needs a credential."),
  PORT("weir.port", "8080", "Port to listen on. 0 picks a free port."),
  HTTP_HEAD_TIMEOUT(
      "weir.http.head-timeout",
      "PT10S",
      "Max time for a client to send the head of a request, and then to begin its body, on"
          + " weir.port. ISO-8601 duration."),
  HTTP_IDLE_TIMEOUT(
      "weir.http.idle-timeout",
      "PT2M",
      "Max time without traffic on a connection to weir.port while no response is pending. ISO-8601"
          + " duration."),
  HTTP_MIN_RATE(
      "weir.http.min-rate",
      "240",
      "Min bytes per second at which a request body must arrive until its response begins. 0"
          + " allows any rate."),
  HTTP_MAX_CONNECTIONS(
      "weir.http.max-connections",
      "",
      "Max client connections of weir.port. Empty means one for each 64 KiB of the max heap, at"
          + " least 256 and up to 20000, and up to a fifth of the file descriptors beyond 256."),
  HTTP_MAX_CONNECTIONS_PER_ADDRESS(
      "weir.http.max-connections-per-address",
      "",
      "Max connections of one address (IPv6: of one /64 network) to weir.port. Addresses of"
          + " weir.trusted-proxies are not limited. Empty means half of the max connections."),
  SLOTS_DEFAULT_NAME(
      "weir.slots.default-name", "default", "Configuration of requests that name none."),
  LIMITS_CACHE_TTL(
      "weir.limits.cache-ttl",
      "PT5S",
      "Max time that a node caches rules and resources. ISO-8601 duration, at least PT0.1S."),
  ADMIN_TOKEN(
      "weir.admin-token",
      "",
      "Token of administrators, sent as Authorization: Bearer; at least 16 characters. Empty"
          + " leaves administration open on loopback."),
  ALLOW_ANONYMOUS_CLIENTS(
      "weir.allow-anonymous-clients",
      "false",
      "Whether callers without a credential may do what clients may, also on addresses other than"
          + " loopback: take slots, pay, send messages, use limits and give back to them, read"
          + " metrics. Administration still needs a credential. Not with weir.client-keys."),
  ALLOWED_HOSTS(
      "weir.allowed-hosts",
      "",
      "Additional values of the Host header to accept, separated by commas. Checked on"
          + " loopback while any part is open without a token, and with"
          + " weir.allow-anonymous-clients; * accepts all."),
  CLIENT_KEYS(
      "weir.client-keys",
      "",
      "API keys of clients, separated by commas; at least 16 characters each. Empty leaves"
          + " the API open on loopback; elsewhere clients then need weir.admin-token or a token of"
          + " weir.oidc.issuer."),
  TRUSTED_PROXIES(
      "weir.trusted-proxies",
      "",
      "Addresses and networks of proxies whose Forwarded and X-Forwarded-For are trusted,"
          + " such as 10.0.0.0/8. Empty trusts none."),
  OIDC_ISSUER(
      "weir.oidc.issuer",
      "",
      "URL of an OpenID Connect issuer whose tokens are accepted, https://…. Empty disables"
          + " OpenID Connect."),
  OIDC_AUDIENCE(
      "weir.oidc.audience",
      "",
      "Audience that tokens of the issuer must name. Required if weir.oidc.issuer is set."),
  OIDC_ADMIN_ROLE(
      "weir.oidc.admin-role", "weir-admin", "Role of administrators in tokens of the issuer."),
  OIDC_ROLE_CLAIM(
      "weir.oidc.role-claim",
      "roles",
      "The one claim of tokens that contains the roles: a name, such as roles, groups or scope, or"
          + " a JSON pointer, such as /realm_access/roles of Keycloak."),
  OIDC_TIMEOUT(
      "weir.oidc.timeout",
      "PT3S",
      "Max time to read the keys of the issuer; then a token that needs them is answered with 503."
          + " ISO-8601 duration, PT0.1S to PT1M."),
  DRAIN(
      "weir.drain",
      "PT20S",
      "Max time that a shutdown waits for requests in progress. ISO-8601 duration; PT0S does"
          + " not wait."),
  DRAIN_NOTICE(
      "weir.drain.notice",
      "PT0.5S",
      "How long a shutdown still accepts connections after readiness turned negative."
          + " ISO-8601 duration."),
  DRAIN_IDLE(
      "weir.drain.idle",
      "PT2S",
      "How long a shutdown keeps idle connections open. ISO-8601 duration."),
  TRACING_ENDPOINT(
      "weir.tracing.endpoint",
      "",
      "URL of an OTLP collector for traces, http://…. Empty disables tracing."),
  TRACING_PERCENT(
      "weir.tracing.percent",
      "100",
      "Percentage of requests to trace, 0 to 100, among those whose caller has not decided"
          + " it."),
  GATEWAY_ACCESS_LOG(
      "weir.gateway.access-log",
      "false",
      "Whether each request to the gateway is logged in one line."),
  LOG_FORMAT("weir.log.format", "text", "Format of the log: text or json."),
  LOG_LEVEL("weir.log.level", "info", "Level of the log: error, warn, info, debug or trace.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  ServerSetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
