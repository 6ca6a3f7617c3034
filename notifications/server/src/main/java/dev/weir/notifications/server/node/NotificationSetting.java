package dev.weir.notifications.server.node;

import dev.weir.node.settings.Setting;

/** The settings of messages: Kafka, the sender, its providers, and analytics. */
public enum NotificationSetting implements Setting {
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
  SEND_TIMEOUT(
      "weir.notifications.send-timeout",
      "PT10S",
      "Max time until Kafka has taken a message, including the start of the embedded broker;"
          + " then the answer is 503. ISO-8601 duration, PT1S to PT5M."),
  RETENTION(
      "weir.notifications.retention",
      "P30D",
      "How long messages that have ended are kept after they were counted and last changed, with"
          + " their states and idempotency keys. ISO-8601 duration, at least PT1H."),
  MAX_DEFERRED(
      "weir.notifications.max-deferred",
      "1000",
      "Max number of deferred messages of a user; further ones are refused. From 1 to 100000."),
  SENDER(
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
  PROVIDER(
      "weir.notifications.provider",
      "log",
      "What messages are handed to: log (writes them to the log), webhook or smpp. Must be set"
          + " where weir.kafka.bootstrap-servers is, on each node that sends; all senders of a"
          + " database must have the same."),
  PROVIDER_RATE(
      "weir.notifications.provider-rate",
      "",
      "Max message parts per second that are handed to the provider, counted in"
          + " weir.limits.store. Empty means no limit."),
  PROVIDER_TIMEOUT(
      "weir.notifications.provider-timeout",
      "PT5S",
      "Max time for an answer of the webhook or the message centre. ISO-8601 duration, PT0.1S"
          + " to PT1M."),
  DELIVERY(
      "weir.notifications.delivery",
      "auto",
      "What is done with a message that was handed over and not answered: at-most-once does not"
          + " repeat it, at-least-once does. auto means at-most-once for smpp, and at-least-once"
          + " for webhook and log."),
  MAX_UNANSWERED(
      "weir.notifications.max-unanswered",
      "20",
      "Max number of times that a message is handed over without an answer, if it is delivered at"
          + " least once."),
  RETRY_FOR(
      "weir.notifications.retry-for",
      "PT1H",
      "How long attempts with the messages of a user may fail before they are put aside. ISO-8601"
          + " duration, PT0S (one attempt for each) to P7D."),
  RETRY_PAUSE(
      "weir.notifications.retry-pause",
      "PT0.5S",
      "Pause after the first failure of a user's message; each further one is twice as long."
          + " ISO-8601 duration, PT0.01S to PT1H."),
  RETRY_MAX_PAUSE(
      "weir.notifications.retry-max-pause",
      "PT1M",
      "Max pause between two attempts. ISO-8601 duration, from weir.notifications.retry-pause to"
          + " PT1H."),
  WEBHOOK_URL(
      "weir.notifications.webhook.url",
      "",
      "URL that messages are posted to. Required if weir.notifications.provider is webhook."),
  WEBHOOK_SECRET(
      "weir.notifications.webhook.secret",
      "",
      "Key of the signatures of posted messages and of their receipts, at least 16 characters."
          + " Required if weir.notifications.provider is webhook."),
  SMPP_HOST(
      "weir.notifications.smpp.host",
      "",
      "Host of the message centre. Required if weir.notifications.provider is smpp."),
  SMPP_PORT("weir.notifications.smpp.port", "2775", "Port of the message centre."),
  SMPP_TLS("weir.notifications.smpp.tls", "false", "Whether the message centre is reached by TLS."),
  SMPP_SYSTEM_ID(
      "weir.notifications.smpp.system-id",
      "",
      "Name by which Weir binds to the message centre. Required if weir.notifications.provider"
          + " is smpp."),
  SMPP_PASSWORD(
      "weir.notifications.smpp.password", "", "Password of weir.notifications.smpp.system-id."),
  SMPP_SYSTEM_TYPE(
      "weir.notifications.smpp.system-type",
      "",
      "System type of the bind. Empty if the message centre does not ask for it."),
  SMPP_SOURCE(
      "weir.notifications.smpp.source", "", "Sender that recipients see. Empty leaves it out."),
  SMPP_PREFIX(
      "weir.notifications.smpp.address-prefix",
      "",
      "Text before the id of a user that makes it the address of the recipient, such as +49."
          + " Empty means that ids are addresses."),
  EVENTS(
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
      "How long events are kept in OpenSearch, in whole days, P1D to P3650D.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  NotificationSetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
