package dev.weir.payments.workflows;

import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The metrics of payments. A node registers each of them with all values of its label; {@link
 * PaymentObserver} measures them.
 */
public enum PaymentMetric {
  FEEDS(
      Kind.COUNTER,
      "rate_limiter_payment_feeds",
      "Feeds that were sent: received, known from earlier, or failed.",
      "result",
      "received",
      "known",
      "failed"),

  RECORDS(
      Kind.COUNTER,
      "rate_limiter_payment_records",
      "Records of feeds that were received.",
      "result",
      "accepted",
      "rejected",
      "repeated"),

  STARTED(Kind.COUNTER, "rate_limiter_payments_started", "Payments that were handed to Temporal."),

  CEILING_WAITS(
      Kind.COUNTER,
      "rate_limiter_payment_ceiling_waits",
      "How often a payment found the ceiling reached and waited."),

  CALLS(
      Kind.SECONDS,
      "rate_limiter_payment_call_seconds",
      "Calls of the payment API.",
      "result",
      values(PaymentCall.Result.values())),

  ENDED(
      Kind.COUNTER,
      "rate_limiter_payments_ended",
      "Payments that were paid, failed or were cancelled.",
      "state",
      values(PaymentState.PAID, PaymentState.FAILED, PaymentState.CANCELLED)),

  RESTARTED(
      Kind.COUNTER,
      "rate_limiter_payments_restarted",
      "Payments that were started again, because they had no running workflow."),

  TEMPORAL_DOWN(
      Kind.STATE,
      "rate_limiter_payment_temporal_down",
      "Whether payments cannot be made for want of Temporal, as far as this node knows.");

  /** How a metric is measured. */
  public enum Kind {
    /** A number that rises. */
    COUNTER,
    /** A histogram of durations in seconds. */
    SECONDS,
    /** 1 if something is so when metrics are read, otherwise 0; without a label. */
    STATE
  }

  private final Kind kind;
  private final String metricName;
  private final String help;
  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // It cannot see that the list is immutable.
  private final List<String> labelValues;

  PaymentMetric(Kind kind, String metricName, String help) {
    this(kind, metricName, help, "");
  }

  PaymentMetric(Kind kind, String metricName, String help, String label, String... labelValues) {
    this.kind = kind;
    this.metricName = metricName;
    this.help = help;
    this.label = label;
    this.labelValues = List.of(labelValues);
  }

  public Kind kind() {
    return kind;
  }

  /** Returns the name, without the {@code _total} of a counter. */
  public String metricName() {
    return metricName;
  }

  public String help() {
    return help;
  }

  /** Returns the name of the label; empty if there is none. */
  public String label() {
    return label;
  }

  /** Returns the values of the label. */
  public List<String> labelValues() {
    return labelValues;
  }

  /** Returns the value of a label for a constant. */
  static String value(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static String[] values(Enum<?>... constants) {
    return Stream.of(constants).map(PaymentMetric::value).toArray(String[]::new);
  }
}
