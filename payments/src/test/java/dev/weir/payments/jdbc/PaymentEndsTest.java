package dev.weir.payments.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedScope;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Beginning;
import dev.weir.payments.PaymentStore.Cancellation;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Single payments: their calls, their end, and who ends them. */
final class PaymentEndsTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  private final Feeds feeds = new Feeds();
  private final PaymentStore store = feeds.store();
  private final PaymentStore otherNode = feeds.otherNode();

  @Test
  void paymentThatHasNoSlotRemembersSinceWhen() {
    feeds.receive("f", 1);
    String id = feeds.payment(1).paymentId();
    store.begin(id);
    assertThat(store.withoutSlot(id, Feeds.NOON)).isEqualTo(Feeds.NOON);
    assertThat(otherNode.withoutSlot(id, Feeds.NOON.plusSeconds(60))).isEqualTo(Feeds.NOON);
    assertThat(store.failed(id, Feeds.NOON.plusSeconds(90), "no slot")).isTrue();
    assertThat(otherNode.failed(id, Feeds.NOON.plusSeconds(95), "again")).isFalse();
    PaymentStatus payment = otherNode.find(id).orElseThrow();
    assertThat(payment.state()).isEqualTo(PaymentState.FAILED);
    assertThat(payment.reason()).isEqualTo("no slot");
    assertThat(payment.endedAt()).contains(Feeds.NOON.plusSeconds(90));
    assertThat(payment.attempts()).isZero();
  }

  @Test
  void firstCallIsTheEarliest() {
    feeds.receive("f", 1);
    String id = feeds.payment(1).paymentId();
    assertThat(store.firstCall(id)).isEmpty();
    store.attempted(
        Feeds.call(feeds.payment(1), Feeds.NOON.plusSeconds(5), PaymentCall.Result.RETRY));
    store.attempted(Feeds.call(feeds.payment(1), Feeds.NOON, PaymentCall.Result.UNKNOWN));
    assertThat(otherNode.firstCall(id)).contains(Feeds.NOON);
  }

  @Test
  void recordsCallsUntilThePaymentEndsAndKeepsTheFirstEnd() {
    String feedId = feeds.receive("f", 1);
    String id = feeds.payment(1).paymentId();
    assertThat(feeds.running(store, 1).payment()).isEqualTo(feeds.payment(1));
    assertThat(feeds.running(store, 1).calls()).isEqualTo(PaymentStore.PastCalls.NONE);
    PaymentCall retried = Feeds.call(feeds.payment(1), Feeds.NOON, PaymentCall.Result.RETRY);
    store.attempted(retried);
    store.attempted(retried);
    assertThat(feeds.running(otherNode, 1).calls())
        .isEqualTo(
            new PaymentStore.PastCalls(
                1, Optional.of(Feeds.NOON), Optional.empty(), Optional.empty(), "detail"));
    PaymentCall paid =
        Feeds.call(feeds.payment(1), Feeds.NOON.plusMillis(500), PaymentCall.Result.PAID);
    assertThat(store.ended(paid, PaymentState.PAID)).isTrue();
    assertThat(store.ended(paid, PaymentState.PAID)).as("again").isFalse();
    store.ended(
        Feeds.call(feeds.payment(1), Feeds.NOON.plusSeconds(3), PaymentCall.Result.REJECTED),
        PaymentState.FAILED);
    assertThat(otherNode.find(id))
        .contains(
            new PaymentStatus(
                id, feedId, PaymentState.PAID, 2, Optional.of(paid.answeredAt()), "detail"));
    assertThat(store.begin(id)).contains(new Beginning.Ended(PaymentState.PAID));
    assertThat(feeds.status(feedId).paid()).isEqualTo(1);
    assertThat(store.calls(feedId, 1_000_000, 10))
        .containsExactly(
            new PaymentStore.CallCount(Feeds.NOON, 2),
            new PaymentStore.CallCount(Feeds.NOON.plusSeconds(3), 1));
    assertThat(store.maxCallsInASecond(feedId)).isEqualTo(2);
  }

  @Test
  void countsCallsInSlidingSeconds() {
    String feedId = feeds.receive("f", 1, 2, 3);
    store.attempted(
        Feeds.call(feeds.payment(1), Feeds.NOON.plusMillis(900), PaymentCall.Result.RETRY));
    store.attempted(
        Feeds.call(feeds.payment(2), Feeds.NOON.plusMillis(1_100), PaymentCall.Result.RETRY));
    store.attempted(
        Feeds.call(feeds.payment(3), Feeds.NOON.plusMillis(1_900), PaymentCall.Result.RETRY));
    assertThat(store.maxCallsInASecond(feedId))
        .as("calls exactly a second apart do not share one")
        .isEqualTo(2);
    assertThat(store.maxCallsInASecond("unknown")).isZero();
    assertThat(store.callsTooMany(feedId)).isZero();
    store.attempted(
        Feeds.call(feeds.payment(3), Feeds.NOON.plusSeconds(5), PaymentCall.Result.TOO_MANY));
    assertThat(store.callsTooMany(feedId)).isEqualTo(1);
  }

  @Test
  void knowsPaymentsThatMayHaveBeenMade() {
    feeds.receive("f", 1, 2);
    store.attempted(Feeds.call(feeds.payment(1), Feeds.NOON, PaymentCall.Result.RETRY));
    store.attempted(Feeds.call(feeds.payment(2), Feeds.NOON, PaymentCall.Result.UNKNOWN));
    store.attempted(
        Feeds.call(feeds.payment(2), Feeds.NOON.plusSeconds(1), PaymentCall.Result.RETRY));
    assertThat(store.hasUnknownCall(feeds.payment(1).paymentId(), Instant.EPOCH)).isFalse();
    assertThat(store.hasUnknownCall(feeds.payment(2).paymentId(), Instant.EPOCH)).isTrue();
    assertThat(store.hasUnknownCall(feeds.payment(2).paymentId(), Feeds.NOON))
        .as("another one")
        .isFalse();
  }

  @Test
  void cancelsOnlyWhatIsNotBeingCalled() {
    String feedId = feeds.receive("f", 1, 2);
    store.begin(feeds.payment(1).paymentId());
    store.beginCall(feeds.payment(1).paymentId(), 0, Duration.ofHours(1), Duration.ofDays(1));
    assertThat(store.cancel(feeds.payment(1).paymentId()))
        .contains(new Cancellation(PaymentState.RUNNING, false));
    assertThat(store.cancel(feeds.payment(2).paymentId()))
        .contains(new Cancellation(PaymentState.CANCELLED, true));
    assertThat(store.cancel(feeds.payment(2).paymentId()))
        .as("again")
        .contains(new Cancellation(PaymentState.CANCELLED, false));
    assertThat(store.begin(feeds.payment(2).paymentId()))
        .contains(new Beginning.Ended(PaymentState.CANCELLED));
    assertThat(store.cancel(feeds.name() + "/unknown")).isEmpty();
    assertThat(store.begin(feeds.name() + "/unknown")).isEmpty();
    assertThat(feeds.status(feedId).cancelled()).isEqualTo(1);
  }

  @Test
  void oneOfCancelAndCallWins() throws Exception {
    int payments = 60;
    int[] numbers = new int[payments];
    for (int i = 0; i < payments; i++) {
      numbers[i] = i;
    }
    feeds.receive("f", numbers);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < payments; i++) {
        String id = feeds.payment(i).paymentId();
        store.begin(id);
        CountDownLatch ready = new CountDownLatch(2);
        Future<Optional<Cancellation>> cancelled =
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return store.cancel(id);
                });
        Future<Optional<Instant>> begun =
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return otherNode.beginCall(id, 0, Duration.ofHours(1), Duration.ofDays(1));
                });
        boolean isCancelled = cancelled.get().orElseThrow().isNew();
        assertThat(begun.get().isPresent()).isEqualTo(!isCancelled);
      }
    }
  }

  /** Half of the payments are in their retries. */
  @Test
  void oneOfCancelWithItsFeedAndCallWins() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 120; i++) {
        FeedScope feed = new FeedScope.One(feeds.receive("f" + i, i));
        String id = feeds.payment(i).paymentId();
        int calls = i % 2;
        store.begin(id);
        if (calls > 0) {
          Instant begun = store.beginCall(id, 0, HOUR, DAY).orElseThrow();
          store.attempted(new PaymentCall(id, begun, begun, PaymentCall.Result.RETRY, "busy"));
        }
        CountDownLatch ready = new CountDownLatch(2);
        Future<PaymentStore.Portion> cancelled =
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return store.cancel(feed, "ann", 10);
                });
        Future<Optional<Instant>> begun =
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return otherNode.beginCall(id, calls, HOUR, DAY);
                });
        assertThat(begun.get().isPresent()).isEqualTo(cancelled.get().payments() == 0);
      }
    }
  }

  @Test
  void feedIsCancelledInPortionsAlsoBehindCallsInProgress() {
    String feedId = feeds.receive("f", IntStream.range(0, 9).toArray());
    for (int i = 0; i < 4; i++) {
      store.begin(feeds.payment(i).paymentId());
      store.beginCall(feeds.payment(i).paymentId(), 0, HOUR, DAY);
    }
    FeedScope feed = new FeedScope.One(feedId);
    assertThat(store.cancel(feed, "ann", 3)).isEqualTo(new PaymentStore.Portion(3, true));
    assertThat(store.cancel(feed, "ann", 3)).isEqualTo(new PaymentStore.Portion(2, false));
    assertThat(feeds.status(feedId).cancelled()).isEqualTo(5);
  }
}
