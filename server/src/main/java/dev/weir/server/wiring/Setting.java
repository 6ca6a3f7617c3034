package dev.weir.server.wiring;

import java.util.Locale;

/**
 * A setting with its name, default value and description. {@code weir settings} prints the list,
 * which is also the table of {@code docs/operations.md}.
 */
public enum Setting {
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
  GRPC_HOST(
      "weir.grpc.host",
      "127.0.0.1",
      "Address of the gRPC port. Addresses other than loopback require weir.client-keys, or"
          + " weir.allow-anonymous-clients."),
  GRPC_PORT(
      "weir.grpc.port",
      "",
      "Port of the Envoy rate limit service. 0 picks a free port; empty disables it."),
  GRPC_MAX_CONNECTIONS(
      "weir.grpc.max-connections",
      "",
      "Max client connections of the gRPC port. Empty means one for each 64 KiB of the max heap, at"
          + " least 256 and up to 20000, and up to a fifth of the file descriptors beyond 256."),
  GRPC_MAX_CONNECTIONS_PER_ADDRESS(
      "weir.grpc.max-connections-per-address",
      "",
      "Max connections of one address (IPv6: of one /64 network) to the gRPC port. Addresses of"
          + " weir.trusted-proxies are not limited. Empty means half of the max connections."),
  DATA(
      "weir.data",
      "",
      "Folder of the embedded PostgreSQL, the embedded Kafka and the calls of the simulated payment"
          + " API. Empty means ~/.local/share/weir."),
  DB_URL(
      "weir.db.url",
      "",
      "URL of a PostgreSQL server, jdbc:postgresql://host:port/database, or of an Oracle server,"
          + " jdbc:oracle:thin:@//host:port/service. Empty starts the embedded PostgreSQL."),
  DB_USER("weir.db.user", "", "User name for weir.db.url. Empty leaves it to the URL."),
  DB_PASSWORD("weir.db.password", "", "Password of weir.db.user."),
  DB_POOL_MIN(
      "weir.db.pool.min", "5", "Min idle connections in the pool. 0 opens them only when needed."),
  DB_POOL_MAX("weir.db.pool.max", "30", "Max connections in the pool, at least 3."),
  DB_WAIT(
      "weir.db.wait",
      "PT3S",
      "Max time that a request waits for a connection before it is answered with 503, and that a"
          + " decision about limits waits for its turn and for its answer. A statement about slots"
          + " waits 10 s longer for its answer, because it may wait for a lock. ISO-8601"
          + " duration."),
  DB_MIGRATE("weir.db.migrate", "true", "Whether the tables are created and updated at startup."),
  ORACLE_SINGLE_ROUND_TRIP(
      "weir.oracle.single-round-trip",
      "false",
      "Whether Oracle gets small batches of slots as one PL/SQL block, in one round trip in place"
          + " of four. Not proven on an Oracle server."),
  SLOTS_STORE(
      "weir.slots.store",
      "",
      "Where slots, rules and routes are stored: postgresql, oracle or memory. In memory they are"
          + " lost at a restart. Empty means the database of weir.db.url, or PostgreSQL."),
  SLOTS_DEFAULT_NAME(
      "weir.slots.default-name", "default", "Configuration of requests that name none."),
  SLOTS_CREATE_DEFAULT(
      "weir.slots.create-default",
      "true",
      "Whether that configuration is created at startup if it is absent, with 100 slots per 4"
          + " s."),
  SLOTS_CACHE_TTL(
      "weir.slots.cache-ttl",
      "PT5S",
      "How long a node caches a configuration. ISO-8601 duration; PT0S disables caching."),
  SLOTS_LANES("weir.slots.lanes", "1", "Max concurrent slot transactions of this node, 1 to 64."),
  SLOTS_MAX_BATCH(
      "weir.slots.max-batch", "4096", "Max requests in one slot transaction, 1 to 50000."),
  SLOTS_UPKEEP_EVERY(
      "weir.slots.upkeep-every",
      "PT30S",
      "Interval between searches for leaked and expired slots. ISO-8601 duration."),
  SLOTS_LEAK_GRACE(
      "weir.slots.leak-grace",
      "PT1M",
      "How long after its scheduled time or its assignment, whichever is later, a slot counts"
          + " as leaked. ISO-8601 duration."),
  SLOTS_RECLAIM("weir.slots.reclaim", "false", "Whether leaked slots are taken back."),
  SLOTS_RETENTION(
      "weir.slots.retention",
      "",
      "How long slots are kept after their scheduled time or their assignment, whichever is"
          + " later, such as P90D. At least the length of a window; empty keeps them forever."),
  LIMITS_STORE(
      "weir.limits.store",
      "memory",
      "Where limits are counted: memory (each node on its own), postgresql, redis, or surrealdb"
          + " (token buckets and leases only). Oracle counts no limits."),
  LIMITS_FALLBACK(
      "weir.limits.fallback",
      "",
      "Store that counts for rules with onStoreFailure fallback while Redis is unavailable:"
          + " postgresql or none. Empty means postgresql, or none where weir.db.url is of Oracle."),
  LIMITS_NODES(
      "weir.limits.nodes",
      "1",
      "Number of nodes that share a limit equally while the store is unavailable, for rules"
          + " with onStoreFailure local."),
  LIMITS_MAX_KEYS(
      "weir.limits.max-keys",
      "",
      "Max keys counted in memory, at least 1000. A key takes up to 64 bytes; empty, and the most,"
          + " is what fits in a quarter of the heap. A rule may have as many keys as are"
          + " free."),
  LIMITS_REQUEST_TTL(
      "weir.limits.request-ttl",
      "PT10M",
      "How long a request id is remembered, so that a repeated request is not counted twice."
          + " ISO-8601 duration."),
  LIMITS_CACHE_TTL(
      "weir.limits.cache-ttl",
      "PT5S",
      "Max time that a node caches rules and resources. ISO-8601 duration, at least PT0.1S."),
  REDIS_URI(
      "weir.redis.uri",
      "",
      "Address of Redis: redis://host:port, redis-sentinel://… or redis-cluster://…. Required"
          + " if weir.limits.store is redis. If it is set, messages over the limit of their user"
          + " are refused without PostgreSQL."),
  REDIS_TIMEOUT(
      "weir.redis.timeout",
      "PT1S",
      "Max time that a decision waits for the answer of Redis. ISO-8601 duration, PT0.1S to"
          + " PT1M."),
  REDIS_TRUST(
      "weir.redis.trust",
      "",
      "PEM file of the certificates to trust for Redis. Empty means those of the Java"
          + " runtime."),
  SURREALDB_URL(
      "weir.surrealdb.url",
      "",
      "Address of SurrealDB, http://host:8000 or https://…. Required if weir.limits.store is"
          + " surrealdb."),
  SURREALDB_NAMESPACE(
      "weir.surrealdb.namespace", "weir", "Namespace of the database in SurrealDB."),
  SURREALDB_DATABASE("weir.surrealdb.database", "weir", "Database in SurrealDB."),
  SURREALDB_USER(
      "weir.surrealdb.user",
      "",
      "User of SurrealDB, who must be allowed to define tables. Empty for a server without"
          + " authentication."),
  SURREALDB_PASSWORD("weir.surrealdb.password", "", "Password of weir.surrealdb.user."),
  SURREALDB_USER_LEVEL(
      "weir.surrealdb.user-level",
      "database",
      "Where weir.surrealdb.user is defined: root, namespace or database."),
  SURREALDB_TIMEOUT(
      "weir.surrealdb.timeout",
      "PT2S",
      "Max time that a decision waits for its turn, and for the answer of SurrealDB. ISO-8601"
          + " duration."),
  SURREALDB_ACCEPT_ANOMALIES(
      "weir.surrealdb.accept-anomalies",
      "false",
      "Whether to use a SurrealDB that may hand out the same token twice, as some versions do in"
          + " memory and on SurrealKV."),
  KAFKA_SERVERS(
      "weir.kafka.bootstrap-servers",
      "",
      "Addresses of Kafka brokers, host:port, separated by commas. Empty starts an embedded"
          + " broker when the first limit is configured or the first message sent;"
          + " with weir.db.url, only if weir.data is set."),
  KAFKA_PROPERTIES(
      "weir.kafka.properties",
      "",
      "Properties file with further settings of Kafka's clients, such as those of TLS and SASL."
          + " Empty means none."),
  NOTIFICATIONS_SEND_TIMEOUT(
      "weir.notifications.send-timeout",
      "PT10S",
      "Max time until Kafka has taken a message, including the start of the embedded broker;"
          + " then the answer is 503. ISO-8601 duration, PT1S to PT5M."),
  NOTIFICATIONS_RETENTION(
      "weir.notifications.retention",
      "P30D",
      "How long messages that have ended are kept after they were counted and last changed, with"
          + " their states and idempotency keys. ISO-8601 duration, at least PT1H."),
  NOTIFICATIONS_MAX_DEFERRED(
      "weir.notifications.max-deferred",
      "1000",
      "Max number of deferred messages of a user; further ones are refused. From 1 to 100000."),
  NOTIFICATIONS_SENDER(
      "weir.notifications.sender",
      "true",
      "Whether this node hands messages to the provider. false leaves that to other nodes or to"
          + " 'weir sender'."),
  SENDER_HOST(
      "weir.sender.host",
      "127.0.0.1",
      "Address on which 'weir sender' listens for requests of operators. Addresses other than"
          + " loopback require weir.client-keys or weir.admin-token, which then open /metrics, or"
          + " weir.allow-anonymous-clients."),
  SENDER_PORT(
      "weir.sender.port",
      "",
      "Port on which 'weir sender' answers /metrics, /health/live and /health/ready. 0 picks a"
          + " free port; empty disables it."),
  NOTIFICATIONS_PROVIDER(
      "weir.notifications.provider",
      "log",
      "What messages are handed to: log (writes them to the log), webhook or smpp. Must be set"
          + " where weir.kafka.bootstrap-servers is, on each node that sends; all senders of a"
          + " database must have the same."),
  NOTIFICATIONS_PROVIDER_RATE(
      "weir.notifications.provider-rate",
      "",
      "Max message parts per second that are handed to the provider, counted in"
          + " weir.limits.store. Empty means no limit."),
  NOTIFICATIONS_PROVIDER_TIMEOUT(
      "weir.notifications.provider-timeout",
      "PT5S",
      "Max time for an answer of the webhook or the message centre. ISO-8601 duration, PT0.1S"
          + " to PT1M."),
  NOTIFICATIONS_DELIVERY(
      "weir.notifications.delivery",
      "auto",
      "What is done with a message that was handed over and not answered: at-most-once does not"
          + " repeat it, at-least-once does. auto means at-most-once for smpp, and at-least-once"
          + " for webhook and log."),
  NOTIFICATIONS_MAX_UNANSWERED(
      "weir.notifications.max-unanswered",
      "20",
      "Max number of times that a message is handed over without an answer, if it is delivered at"
          + " least once."),
  NOTIFICATIONS_RETRY_FOR(
      "weir.notifications.retry-for",
      "PT1H",
      "How long attempts with the messages of a user may fail before they are put aside. ISO-8601"
          + " duration, PT0S (one attempt for each) to P7D."),
  NOTIFICATIONS_RETRY_PAUSE(
      "weir.notifications.retry-pause",
      "PT0.5S",
      "Pause after the first failure of a user's message; each further one is twice as long."
          + " ISO-8601 duration, PT0.01S to PT1H."),
  NOTIFICATIONS_RETRY_MAX_PAUSE(
      "weir.notifications.retry-max-pause",
      "PT1M",
      "Max pause between two attempts. ISO-8601 duration, from weir.notifications.retry-pause to"
          + " PT1H."),
  NOTIFICATIONS_WEBHOOK_URL(
      "weir.notifications.webhook.url",
      "",
      "URL that messages are posted to. Required if weir.notifications.provider is webhook."),
  NOTIFICATIONS_WEBHOOK_SECRET(
      "weir.notifications.webhook.secret",
      "",
      "Key of the signatures of posted messages and of their receipts, at least 16 characters."
          + " Required if weir.notifications.provider is webhook."),
  NOTIFICATIONS_SMPP_HOST(
      "weir.notifications.smpp.host",
      "",
      "Host of the message centre. Required if weir.notifications.provider is smpp."),
  NOTIFICATIONS_SMPP_PORT("weir.notifications.smpp.port", "2775", "Port of the message centre."),
  NOTIFICATIONS_SMPP_TLS(
      "weir.notifications.smpp.tls", "false", "Whether the message centre is reached by TLS."),
  NOTIFICATIONS_SMPP_SYSTEM_ID(
      "weir.notifications.smpp.system-id",
      "",
      "Name by which Weir binds to the message centre. Required if weir.notifications.provider"
          + " is smpp."),
  NOTIFICATIONS_SMPP_PASSWORD(
      "weir.notifications.smpp.password", "", "Password of weir.notifications.smpp.system-id."),
  NOTIFICATIONS_SMPP_SYSTEM_TYPE(
      "weir.notifications.smpp.system-type",
      "",
      "System type of the bind. Empty if the message centre does not ask for it."),
  NOTIFICATIONS_SMPP_SOURCE(
      "weir.notifications.smpp.source", "", "Sender that recipients see. Empty leaves it out."),
  NOTIFICATIONS_SMPP_PREFIX(
      "weir.notifications.smpp.address-prefix",
      "",
      "Text before the id of a user that makes it the address of the recipient, such as +49."
          + " Empty means that ids are addresses."),
  NOTIFICATIONS_EVENTS(
      "weir.notifications.events",
      "false",
      "Whether each attempt to send is published to the topic notification-events. Always true if"
          + " weir.opensearch.url is set."),
  OPENSEARCH_URL(
      "weir.opensearch.url",
      "",
      "URL of OpenSearch, http://host:9200 or https://…, where events of messages are indexed for"
          + " /api/analytics. Empty disables analytics."),
  OPENSEARCH_USER(
      "weir.opensearch.user", "", "User name for weir.opensearch.url. Empty sends none."),
  OPENSEARCH_PASSWORD("weir.opensearch.password", "", "Password of weir.opensearch.user."),
  OPENSEARCH_API_KEY(
      "weir.opensearch.api-key",
      "",
      "API key for weir.opensearch.url, sent as Authorization: ApiKey, in place of a user. Empty"
          + " sends none."),
  OPENSEARCH_TRUST(
      "weir.opensearch.trust",
      "",
      "PEM file of the certificates to trust for OpenSearch. Empty means those of the Java"
          + " runtime."),
  OPENSEARCH_RETENTION(
      "weir.opensearch.retention",
      "P90D",
      "How long events are kept in OpenSearch, in whole days, P1D to P3650D."),
  TEMPORAL_ADDRESS(
      "temporal.service-address",
      "",
      "Address of a Temporal server, host:port, such as localhost:7233. Empty starts Temporal's"
          + " test server in this process with the first feed of payments; it keeps nothing on"
          + " disk, so open payments are started again after a restart."),
  TEMPORAL_NAMESPACE(
      "temporal.namespace", "default", "Namespace of Temporal. The test server has only default."),
  TEMPORAL_TASK_QUEUE(
      "temporal.task-queue",
      "payment-exec",
      "Task queue of the payments' workflows, the same on all nodes."),
  TEMPORAL_TLS(
      "temporal.tls",
      "false",
      "Whether Temporal is reached by TLS. Always true if temporal.trust, temporal.certificate or"
          + " temporal.api-key is set."),
  TEMPORAL_TRUST(
      "temporal.trust",
      "",
      "PEM file of the certificates to trust for Temporal. Empty means those of the Java runtime."),
  TEMPORAL_CERTIFICATE(
      "temporal.certificate",
      "",
      "PEM file of the client certificate for Temporal, with its chain. Empty sends none."),
  TEMPORAL_KEY(
      "temporal.key",
      "",
      "PEM file of the key of temporal.certificate, PKCS #8 without a password."),
  TEMPORAL_API_KEY(
      "temporal.api-key",
      "",
      "API key for Temporal, such as one of Temporal Cloud. Empty sends none."),
  PAYMENTS_CONFIG(
      "weir.payments.config",
      "",
      "Slot configuration of feeds that name none. Empty means weir.slots.default-name."),
  PAYMENTS_DOWNSTREAM(
      "weir.payments.downstream",
      "",
      "URL of the payment API, http://host:port or https://…; payments are posted to /payments"
          + " below it. simulator starts one in this process that moves no money, which is also the"
          + " default on the embedded PostgreSQL. Empty where weir.db.url is set: feeds are refused"
          + " and no payments are made. Must be a URL if temporal.service-address is set."),
  PAYMENTS_AUTHORIZATION(
      "weir.payments.downstream-authorization",
      "",
      "Value of the header Authorization for weir.payments.downstream, such as Bearer and a token."
          + " Empty sends none."),
  PAYMENTS_TIMEOUT(
      "weir.payments.downstream-timeout",
      "PT10S",
      "Max time of a call of the payment API. ISO-8601 duration, PT0.1S to PT1M."),
  PAYMENTS_STATUSES(
      "weir.payments.downstream-statuses",
      "",
      "What statuses of the payment API mean, where that differs from the usual: a list of"
          + " entries such as 409=refused,5xx=retry, each with paid, in-progress, refused, retry or"
          + " unknown. A single status goes before a class. The usual: 200 and 201 paid; 409"
          + " in-progress; 400, 402, 410, 413, 415 and 422 refused; other 4xx retry; other"
          + " 2xx, 3xx and 5xx unknown."),
  PAYMENTS_FIELDS(
      "weir.payments.downstream-fields",
      "id=paymentId,amount=amount,currency=currency,state=state,state=status",
      "Members of the payment API's answer that must agree with the payment if it is paid: a list"
          + " of entries such as amount=money.value, each of id, amount, currency or state. What"
          + " is not listed is not compared; none compares nothing."),
  PAYMENTS_PAID_STATES(
      "weir.payments.downstream-paid-states",
      "paid,booked,completed,complete,succeeded,success,successful,settled,executed,made,done,ok",
      "States in the payment API's answer that mean that the payment is made, in any case. After"
          + " any other state it is asked again."),
  PAYMENTS_LOOKUP(
      "weir.payments.downstream-lookup",
      "",
      "Path below weir.payments.downstream at which GET returns a payment by its idempotency key,"
          + " such as /payments/{key}. After a call with an unknown result it is asked before the"
          + " call is repeated. Empty if the API does not offer that."),
  PAYMENTS_LATENESS(
      "weir.payments.downstream-lateness",
      "PT5S",
      "How long a call may still be on its way to the payment API after its connection"
          + " has ended, for example behind a proxy, or after the API has answered a later"
          + " call. So long it keeps its place under the ceiling. ISO-8601 duration, up to"
          + " PT10M."),
  PAYMENTS_PAUSE(
      "weir.payments.downstream-pause",
      "PT15M",
      "How long the payment API may neither answer nor close its connections, and then"
          + " handle the calls that it got before. So long calls without an answer keep their"
          + " places under the ceiling, unless it answers them or a later one; those of a node"
          + " that was killed always do. ISO-8601 duration, PT1S to P1D."),
  PAYMENTS_CEILING(
      "weir.payments.ceiling",
      "50",
      "Max calls of the payment API within any second, of all nodes together, 2 to 100000."),
  PAYMENTS_CEILING_KIND(
      "weir.payments.ceiling-kind",
      "hard",
      "How the ceiling is held: hard (by leases, whatever the network does) or smooth (by a token"
          + " bucket, at an even rate, which cannot promise when calls arrive)."),
  PAYMENTS_PACE(
      "weir.payments.pace",
      "config",
      "What limits calls that are late or repeated, for example after an outage: config (no more"
          + " than maxPerWindow of their slot configuration within any windowSize, all calls of the"
          + " configuration together) or ceiling (weir.payments.ceiling only, so they catch up"
          + " faster than their configuration says)."),
  PAYMENTS_GRACE(
      "weir.payments.grace",
      "PT1M",
      "How long after its slot a payment that has not ended is started again, if it has no running"
          + " workflow; also the interval between two searches for them. ISO-8601 duration, PT1S to"
          + " P1D."),
  PAYMENTS_GIVE_UP_AFTER(
      "weir.payments.give-up-after",
      "PT24H",
      "How long after its first call a payment has failed if the payment API has"
          + " neither made nor refused it, and how long a payment that lost its slot waits"
          + " for another one. ISO-8601 duration, PT1M to P30D."),
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
  GATEWAY_PORT(
      "weir.gateway.port", "", "Port of the gateway. 0 picks a free port; empty disables it."),
  GATEWAY_HOST("weir.gateway.host", "127.0.0.1", "Address that the gateway listens on."),
  GATEWAY_ROUTES(
      "weir.gateway.routes",
      "",
      "Path patterns and their upstreams, separated by commas, such as /api/** ="
          + " http://127.0.0.1:9000, /** = h2c://other:9001."),
  GATEWAY_TRUST(
      "weir.gateway.trust",
      "",
      "PEM file of the certificates to trust for upstreams. Empty means those of the Java"
          + " runtime."),
  GATEWAY_HEAD_TIMEOUT(
      "weir.gateway.head-timeout",
      "PT10S",
      "Max time for a client to send the head of a request. ISO-8601 duration."),
  GATEWAY_IDLE_TIMEOUT(
      "weir.gateway.idle-timeout",
      "PT1M",
      "Max time without traffic on a client connection, in a body or on a WebSocket. ISO-8601"
          + " duration."),
  GATEWAY_CONNECT_TIMEOUT(
      "weir.gateway.connect-timeout",
      "PT3S",
      "Max time to connect to an upstream. ISO-8601 duration."),
  GATEWAY_ANSWER_TIMEOUT(
      "weir.gateway.answer-timeout",
      "PT30S",
      "Max time for an upstream to start its response. ISO-8601 duration."),
  GATEWAY_UPSTREAM_IDLE(
      "weir.gateway.upstream-idle",
      "PT4S",
      "How long an idle connection to an upstream is kept. ISO-8601 duration."),
  GATEWAY_MIN_RATE(
      "weir.gateway.min-rate",
      "240",
      "Min bytes per second at which a request body must arrive until its response begins. 0"
          + " allows any rate."),
  GATEWAY_MAX_CONNECTIONS(
      "weir.gateway.max-connections",
      "",
      "Max client connections of the gateway. Empty means one for each 64 KiB of the max heap, at"
          + " least 256 and up to 20000, and up to a fifth of the file descriptors beyond 256."),
  GATEWAY_MAX_CONNECTIONS_PER_ADDRESS(
      "weir.gateway.max-connections-per-address",
      "",
      "Max connections of one address (IPv6: of one /64 network) to the gateway. Addresses of"
          + " weir.trusted-proxies are not limited. Empty means half of the max connections."),
  GATEWAY_MAX_UPSTREAM_CONNECTIONS(
      "weir.gateway.max-upstream-connections", "1000", "Max connections to one upstream."),
  GATEWAY_MAX_HEADER(
      "weir.gateway.max-header",
      "16384",
      "Max size of all header fields of a request or response, in bytes."),
  GATEWAY_MAX_TARGET(
      "weir.gateway.max-target", "8192", "Max length of the request line, in bytes."),
  GATEWAY_ACCESS_LOG(
      "weir.gateway.access-log",
      "false",
      "Whether each request to the gateway is logged in one line."),
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
  LOG_FORMAT("weir.log.format", "text", "Format of the log: text or json."),
  LOG_LEVEL("weir.log.level", "info", "Level of the log: error, warn, info, debug or trace.");

  /** All variables start with it, so that those of other programs are not taken for ours. */
  static final String PREFIX = "WEIR_";

  private final String key;
  private final String defaultValue;
  private final String description;

  Setting(String key, String defaultValue, String description) {
    this.key = key;
    this.defaultValue = defaultValue;
    this.description = description;
  }

  public String key() {
    return key;
  }

  /** Returns the default value; empty if there is none. */
  public String defaultValue() {
    return defaultValue;
  }

  public String description() {
    return description;
  }

  /** Returns the name of the environment variable of this setting. */
  public String variable() {
    String name = key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    return name.startsWith(PREFIX) ? name : PREFIX + name;
  }
}
