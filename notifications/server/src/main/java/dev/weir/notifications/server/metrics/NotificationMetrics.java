package dev.weir.notifications.server.metrics;

import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.provider.ProviderResult;
import dev.weir.notifications.sender.Backlog;
import dev.weir.notifications.sender.SenderObserver;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** Metrics of messages: requests to send, and what the sender does. */
public final class NotificationMetrics implements SenderObserver {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final String BROKER_DOWN = "rate_limiter_message_broker_down";
  private static final String BROKER_DOWN_HELP =
      "Whether Kafka does not take messages, as far as this node knows: 1 if so.";

  private final PrometheusRegistry registry;
  private final DistributionDataPoint sent;
  private final DistributionDataPoint repeated;
  private final DistributionDataPoint deferred;
  private final DistributionDataPoint limited;
  private final DistributionDataPoint limitedEarly;
  private final DistributionDataPoint closed;
  private final DistributionDataPoint invalid;
  private final DistributionDataPoint brokerRefused;
  private final DistributionDataPoint brokerUnknown;
  private final DistributionDataPoint storeFailed;
  private final CounterDataPoint taken;
  private final CounterDataPoint retried;
  private final CounterDataPoint unavailable;
  private final CounterDataPoint rejected;
  private final CounterDataPoint unknown;
  private final Counter duplicates;
  private final Counter deadLetters;

  public NotificationMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    Histogram sends =
        Histogram.builder()
            .name("rate_limiter_message_send_seconds")
            .help("From the request to send a message to its answer.")
            .labelNames("outcome")
            .classicOnly()
            .classicUpperBounds(
                0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
            .register(registry);
    sent = sends.labelValues("sent");
    repeated = sends.labelValues("repeated");
    deferred = sends.labelValues("deferred");
    limited = sends.labelValues("limited");
    limitedEarly = sends.labelValues("limited_early");
    closed = sends.labelValues("closed");
    invalid = sends.labelValues("invalid");
    brokerRefused = sends.labelValues("broker_refused");
    brokerUnknown = sends.labelValues("broker_unknown");
    storeFailed = sends.labelValues("store");
    Counter attempts =
        Counter.builder()
            .name("rate_limiter_message_attempts")
            .help("Answers of the provider to messages.")
            .labelNames("result")
            .register(registry);
    taken = attempts.labelValues("taken");
    retried = attempts.labelValues("retry");
    unavailable = attempts.labelValues("unavailable");
    rejected = attempts.labelValues("rejected");
    unknown = attempts.labelValues("unknown");
    duplicates =
        Counter.builder()
            .name("rate_limiter_message_duplicates")
            .help("Copies of messages that were not handed over, because one was before.")
            .register(registry);
    deadLetters =
        Counter.builder()
            .name("rate_limiter_message_dead_letters")
            .help("Messages that could not be delivered.")
            .register(registry);
  }

  /** Exposes whether the broker is down. */
  public void brokerDown(BooleanSupplier isDown) {
    GaugeWithCallback.builder()
        .name(BROKER_DOWN)
        .help(BROKER_DOWN_HELP)
        .callback(callback -> callback.call(isDown.getAsBoolean() ? 1 : 0))
        .register(registry);
  }

  /** Exposes what the sender of this node has before it. */
  public void backlog(Supplier<Backlog> backlog, Supplier<Duration> oldestAge) {
    gauge(
        "rate_limiter_message_backlog",
        "Messages on the topic that this node has to deliver and has not.",
        () -> backlog.get().messages());
    gauge(
        "rate_limiter_message_set_aside",
        "Messages that wait on the topic because their users fail, or have too many.",
        () -> backlog.get().aside());
    gauge(
        "rate_limiter_message_oldest_seconds",
        "How long the oldest message that this node has to deliver has waited.",
        () -> oldestAge.get().toNanos() / NANOS_PER_SECOND);
  }

  private void gauge(String name, String help, DoubleSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call(value.getAsDouble()))
        .register(registry);
  }

  /** Counts the answer to a request to send. */
  public void answered(SendResult.Answer outcome, long nanos) {
    DistributionDataPoint series =
        switch (outcome) {
          case SendResult.Sent message -> message.isRepeated() ? repeated : sent;
          case SendResult.Deferred message -> deferred;
          case SendResult.Limited refused -> limited;
          case SendResult.LimitedEarly refused -> limitedEarly;
          case SendResult.Closed refused -> closed;
          case SendResult.TooManyDeferred refused -> closed;
          case SendResult.Failed message -> repeated;
          case SendResult.UnknownUser wrong -> invalid;
          case SendResult.KeyReused wrong -> invalid;
          case SendResult.TooExpensive wrong -> invalid;
          case SendResult.BrokerRefused failed -> brokerRefused;
          case SendResult.BrokerUnknown failed -> brokerUnknown;
        };
    series.observe(nanos / NANOS_PER_SECOND);
  }

  /** Counts a request to send that the database did not decide. */
  public void storeFailed(long nanos) {
    storeFailed.observe(nanos / NANOS_PER_SECOND);
  }

  @Override
  public void attempted(Message message, ProviderResult result) {
    switch (result) {
      case ProviderResult.Taken done -> taken.inc();
      case ProviderResult.Retry again -> retried.inc();
      case ProviderResult.Unavailable later -> unavailable.inc();
      case ProviderResult.Rejected never -> rejected.inc();
      case ProviderResult.Unknown none -> unknown.inc();
    }
  }

  @Override
  public void dropped(Message message) {
    duplicates.inc();
  }

  @Override
  public void deadLettered(String reason) {
    deadLetters.inc();
  }
}
