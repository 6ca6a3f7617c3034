package dev.weir.torture.stage;

/** A part of the stage that not every capability needs. What no load needs has no faults. */
public enum Part {
  /** Where limits are counted, if that is not the PostgreSQL that everything needs. */
  LIMITS_STORE,

  /** The service behind the gateways. */
  UPSTREAM,

  /** Kafka and the provider of messages. */
  MESSAGES,

  PAYMENT_API
}
