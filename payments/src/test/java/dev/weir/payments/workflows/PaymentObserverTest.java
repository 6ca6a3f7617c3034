package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PaymentObserverTest {
  private static final FeedStatus FEED =
      new FeedStatus(
          "f",
          "c",
          FeedState.STARTING,
          false,
          "",
          100,
          10,
          20,
          0,
          0,
          0,
          0,
          0,
          Optional.empty(),
          Optional.empty());

  private final Map<PaymentMetric, Map<String, Double>> measured = new HashMap<>();
  private final PaymentObserver observer =
      (metric, label, amount) ->
          measured
              .computeIfAbsent(metric, any -> new HashMap<>())
              .merge(label, amount, Double::sum);

  @Test
  void measuresEachMetricUnderTheLabelsThatItNames() {
    observer.feedReceived(new FeedReceiver.Received(FEED, true));
    observer.feedReceived(new FeedReceiver.Received(FEED, false));
    observer.feedFailed();
    observer.started(3);
    observer.waits();
    for (PaymentCall.Result result : PaymentCall.Result.values()) {
      observer.called(result, Duration.ofMillis(1_500));
    }
    observer.ended(PaymentState.PAID);
    observer.ended(PaymentState.FAILED);
    observer.cancelled(4);
    observer.restarted(2);
    for (PaymentMetric metric : PaymentMetric.values()) {
      List<String> labels = metric.label().isEmpty() ? List.of("") : metric.labelValues();
      if (metric.kind() != PaymentMetric.Kind.STATE) {
        assertThat(measured.get(metric)).as("labels of %s", metric).containsOnlyKeys(labels);
      }
    }
    assertThat(measured.get(PaymentMetric.CALLS)).containsEntry("too_many", 1.5);
    assertThat(measured.get(PaymentMetric.ENDED)).containsEntry("cancelled", 4.0);
    assertThat(measured.get(PaymentMetric.RECORDS))
        .isEqualTo(Map.of("accepted", 70.0, "rejected", 20.0, "repeated", 10.0));
  }

  @Test
  void aCallTakesNoNegativeTime() {
    observer.called(PaymentCall.Result.PAID, Duration.ofMillis(-1));
    assertThat(measured).isEqualTo(Map.of(PaymentMetric.CALLS, Map.of("paid", 0.0)));
  }
}
