package dev.weir.payments.server.node;

import dev.weir.node.settings.Setting;

/** The settings of payments and of Temporal. */
public enum PaymentSetting implements Setting {
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
  CONFIG(
      "weir.payments.config",
      "",
      "Slot configuration of feeds that name none. Empty means weir.slots.default-name."),
  DOWNSTREAM(
      "weir.payments.downstream",
      "",
      "URL of the payment API, http://host:port or https://…; payments are posted to /payments"
          + " below it. simulator starts one in this process that moves no money, which is also the"
          + " default on the embedded PostgreSQL. Empty where weir.db.url is set: feeds are refused"
          + " and no payments are made. Must be a URL if temporal.service-address is set."),
  AUTHORIZATION(
      "weir.payments.downstream-authorization",
      "",
      "Value of the header Authorization for weir.payments.downstream, such as Bearer and a token."
          + " Empty sends none."),
  TIMEOUT(
      "weir.payments.downstream-timeout",
      "PT10S",
      "Max time of a call of the payment API. ISO-8601 duration, PT0.1S to PT1M."),
  STATUSES(
      "weir.payments.downstream-statuses",
      "",
      "What statuses of the payment API mean, where that differs from the usual: a list of"
          + " entries such as 409=refused,5xx=retry, each with paid, in-progress, refused, retry or"
          + " unknown. A single status goes before a class. The usual: 200 and 201 paid; 409"
          + " in-progress; 400, 402, 410, 413, 415 and 422 refused; other 4xx retry; other"
          + " 2xx, 3xx and 5xx unknown."),
  FIELDS(
      "weir.payments.downstream-fields",
      "id=paymentId,amount=amount,currency=currency,state=state,state=status",
      "Members of the payment API's answer that must agree with the payment if it is paid: a list"
          + " of entries such as amount=money.value, each of id, amount, currency or state. What"
          + " is not listed is not compared; none compares nothing."),
  PAID_STATES(
      "weir.payments.downstream-paid-states",
      "paid,booked,completed,complete,succeeded,success,successful,settled,executed,made,done,ok",
      "States in the payment API's answer that mean that the payment is made, in any case. After"
          + " any other state it is asked again."),
  LOOKUP(
      "weir.payments.downstream-lookup",
      "",
      "Path below weir.payments.downstream at which GET returns a payment by its idempotency key,"
          + " such as /payments/{key}. After a call with an unknown result it is asked before the"
          + " call is repeated. Empty if the API does not offer that."),
  LATENESS(
      "weir.payments.downstream-lateness",
      "PT5S",
      "How long a call may still be on its way to the payment API after its connection"
          + " has ended, for example behind a proxy, or after the API has answered a later"
          + " call. So long it keeps its place under the ceiling. ISO-8601 duration, up to"
          + " PT10M."),
  PAUSE(
      "weir.payments.downstream-pause",
      "PT15M",
      "How long the payment API may neither answer nor close its connections, and then"
          + " handle the calls that it got before. So long calls without an answer keep their"
          + " places under the ceiling, unless it answers them or a later one; those of a node"
          + " that was killed always do. ISO-8601 duration, PT1S to P1D."),
  CEILING(
      "weir.payments.ceiling",
      "50",
      "Max calls of the payment API within any second, of all nodes together, 2 to 100000."),
  CEILING_KIND(
      "weir.payments.ceiling-kind",
      "hard",
      "How the ceiling is held: hard (by leases, whatever the network does) or smooth (by a token"
          + " bucket, at an even rate, which cannot promise when calls arrive)."),
  PACE(
      "weir.payments.pace",
      "config",
      "What limits calls that are late or repeated, for example after an outage: config (no more"
          + " than maxPerWindow of their slot configuration within any windowSize, all calls of the"
          + " configuration together) or ceiling (weir.payments.ceiling only, so they catch up"
          + " faster than their configuration says)."),
  GRACE(
      "weir.payments.grace",
      "PT1M",
      "How long after its slot a payment that has not ended is started again, if it has no running"
          + " workflow; also the interval between two searches for them. ISO-8601 duration, PT1S to"
          + " P1D."),
  GIVE_UP_AFTER(
      "weir.payments.give-up-after",
      "PT24H",
      "How long after its first call a payment has failed if the payment API has"
          + " neither made nor refused it, and how long a payment that lost its slot waits"
          + " for another one. ISO-8601 duration, PT1M to P30D.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  PaymentSetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
