package dev.weir.payments.server.metrics;

import dev.weir.payments.FeedStatus;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.workflows.FeedReceiver;
import dev.weir.payments.workflows.PaymentObserver;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Metrics of payments: their feeds, their calls, and how they end. */
public final class PaymentMetrics implements PaymentObserver {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final PrometheusRegistry registry;
  private final CounterDataPoint feedsReceived;
  private final CounterDataPoint feedsKnown;
  private final CounterDataPoint feedsFailed;
  private final CounterDataPoint accepted;
  private final CounterDataPoint rejected;
  private final CounterDataPoint repeated;
  private final Counter started;
  private final Counter waits;
  private final Histogram calls;
  private final Counter ended;
  private final Counter restarted;

  public PaymentMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    Counter feeds =
        Counter.builder()
            .name("rate_limiter_payment_feeds")
            .help("Feeds that were sent: received, known from earlier, or failed.")
            .labelNames("result")
            .register(registry);
    feedsReceived = feeds.labelValues("received");
    feedsKnown = feeds.labelValues("known");
    feedsFailed = feeds.labelValues("failed");
    Counter records =
        Counter.builder()
            .name("rate_limiter_payment_records")
            .help("Records of feeds that were received.")
            .labelNames("result")
            .register(registry);
    accepted = records.labelValues("accepted");
    rejected = records.labelValues("rejected");
    repeated = records.labelValues("repeated");
    started =
        Counter.builder()
            .name("rate_limiter_payments_started")
            .help("Payments that were handed to Temporal.")
            .register(registry);
    waits =
        Counter.builder()
            .name("rate_limiter_payment_ceiling_waits")
            .help("How often a payment found the ceiling reached and waited.")
            .register(registry);
    calls =
        Histogram.builder()
            .name("rate_limiter_payment_call_seconds")
            .help("Calls of the payment API.")
            .labelNames("result")
            .classicOnly()
            .classicUpperBounds(0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)
            .register(registry);
    for (PaymentCall.Result result : PaymentCall.Result.values()) {
      calls.initLabelValues(name(result));
    }
    ended =
        Counter.builder()
            .name("rate_limiter_payments_ended")
            .help("Payments that were paid, failed or were cancelled.")
            .labelNames("state")
            .register(registry);
    for (PaymentState state :
        List.of(PaymentState.PAID, PaymentState.FAILED, PaymentState.CANCELLED)) {
      ended.initLabelValues(name(state));
    }
    restarted =
        Counter.builder()
            .name("rate_limiter_payments_restarted")
            .help("Payments that were started again, because they had no running workflow.")
            .register(registry);
  }

  /** Exposes whether Temporal cannot be reached. */
  public void temporalDown(BooleanSupplier isDown) {
    GaugeWithCallback.builder()
        .name("rate_limiter_payment_temporal_down")
        .help("Whether payments cannot be made for want of Temporal, as far as this node knows.")
        .callback(callback -> callback.call(isDown.getAsBoolean() ? 1 : 0))
        .register(registry);
  }

  /** Counts a feed that was received now or earlier. */
  public void feedReceived(FeedReceiver.Received received) {
    if (!received.isNew()) {
      feedsKnown.inc();
      return;
    }
    FeedStatus feed = received.feed();
    feedsReceived.inc();
    accepted.inc(feed.read() - feed.rejected() - feed.repeated());
    rejected.inc(feed.rejected());
    repeated.inc(feed.repeated());
  }

  /** Counts a feed that broke off or could not be used. */
  public void feedFailed() {
    feedsFailed.inc();
  }

  @Override
  public void started(int payments) {
    started.inc(payments);
  }

  @Override
  public void waits() {
    waits.inc();
  }

  @Override
  public void called(PaymentCall.Result result, Duration time) {
    calls.labelValues(name(result)).observe(Math.max(0, time.toNanos()) / NANOS_PER_SECOND);
  }

  /** Counts payments that were cancelled with their feeds. */
  public void cancelled(long payments) {
    ended.labelValues(name(PaymentState.CANCELLED)).inc(payments);
  }

  @Override
  public void ended(PaymentState state) {
    ended.labelValues(name(state)).inc();
  }

  @Override
  public void restarted(long payments) {
    restarted.inc(payments);
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
