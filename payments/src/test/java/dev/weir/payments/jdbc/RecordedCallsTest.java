package dev.weir.payments.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedScope;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Beginning;
import dev.weir.payments.PaymentStore.Cancellation;
import dev.weir.payments.PaymentStore.Opening;
import dev.weir.payments.PaymentStore.PastCalls;
import dev.weir.payments.PaymentStore.Reception;
import dev.weir.store.jdbc.Database;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A call is recorded before it is sent, and what is known of it survives its caller. */
final class RecordedCallsTest {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
  private static final Duration MAX_CALL = Duration.ofSeconds(10);
  private static final Duration MAX_TIME = Duration.ofHours(1);
  private static final String NOT_RECORDED = "its answer is not recorded";

  private volatile Instant now = NOON;
  private final PaymentStore store =
      new JdbcPaymentStore(Database.get().pool(), database -> Micros.ceil(now));
  private final PaymentStore otherNode =
      new JdbcPaymentStore(Database.get().otherPool(), database -> Micros.ceil(now));
  private final String id = UUID.randomUUID().toString();

  @BeforeEach
  void receive() {
    Reception reception = ((Opening.Opened) store.open("feed-" + id, "bank")).reception();
    Payment payment =
        new Payment(id, BigDecimal.TEN, "EUR", "from", "to", Optional.empty(), "", "bank");
    store.add(reception, List.of(new FeedRecord.Accepted(2, payment)));
    store.complete(reception, "digest");
  }

  private Beginning.Running running() {
    return (Beginning.Running) otherNode.begin(id).orElseThrow();
  }

  private Optional<Instant> beginCall(int knownCalls) {
    return store.beginCall(id, knownCalls, MAX_CALL, MAX_TIME);
  }

  private PaymentCall result(Instant calledAt, PaymentCall.Result result, String detail) {
    return new PaymentCall(id, calledAt, now, result, detail);
  }

  private PaymentStatus status() {
    return otherNode.find(id).orElseThrow();
  }

  @Test
  void callIsInProgressThenUnknownUntilItsResultIsRecorded() {
    assertThat(running().calls()).isEqualTo(PastCalls.NONE);
    assertThat(beginCall(0)).contains(NOON);
    assertThat(running().now()).isEqualTo(NOON);
    assertThat(running().calls())
        .isEqualTo(
            new PastCalls(
                1,
                Optional.of(NOON),
                Optional.of(NOON.plus(MAX_CALL)),
                Optional.empty(),
                NOT_RECORDED));
    now = NOON.plus(MAX_CALL);
    assertThat(running().calls())
        .as("its worker has died")
        .isEqualTo(
            new PastCalls(1, Optional.of(NOON), Optional.empty(), Optional.of(NOON), NOT_RECORDED));
    store.attempted(result(NOON, PaymentCall.Result.RETRY, "status 503"));
    assertThat(running().calls())
        .isEqualTo(
            new PastCalls(1, Optional.of(NOON), Optional.empty(), Optional.empty(), "status 503"));
  }

  @Test
  void noCallBeginsOutsideOfItsTime() {
    running();
    assertThat(beginCall(0)).contains(NOON);
    now = NOON.plus(MAX_TIME).minusNanos(1_000);
    assertThat(beginCall(1)).contains(now);
    now = NOON.plus(MAX_TIME);
    assertThat(beginCall(2)).isEmpty();
    assertThat(running().calls().count()).isEqualTo(2);
  }

  @Test
  void ofTwoAttemptsAtTheSameTimeOneCalls() throws Exception {
    running();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int known = 0; known < 50; known++) {
        int calls = known;
        now = now.plusSeconds(1);
        CountDownLatch ready = new CountDownLatch(2);
        List<Future<Optional<Instant>>> attempts =
            List.of(store, otherNode).stream()
                .map(
                    node ->
                        threads.submit(
                            () -> {
                              ready.countDown();
                              ready.await();
                              return node.beginCall(id, calls, MAX_CALL, MAX_TIME);
                            }))
                .toList();
        long begun = 0;
        for (Future<Optional<Instant>> attempt : attempts) {
          begun += attempt.get().isPresent() ? 1 : 0;
        }
        assertThat(begun).isEqualTo(1);
      }
    }
  }

  @Test
  void noCallBeginsWhileItsFeedIsHeld() {
    running();
    FeedScope feed = new FeedScope.One("feed-" + id);
    otherNode.hold(feed, "ann");
    assertThat(beginCall(0)).isEmpty();
    otherNode.resume(feed, "ann");
    assertThat(beginCall(0)).isPresent();
  }

  @Test
  void callThatWasNotSentLeavesNothing() {
    running();
    store.withdrawCall(id, beginCall(0).orElseThrow());
    assertThat(running().calls()).isEqualTo(PastCalls.NONE);
    assertThat(status().attempts()).isZero();
  }

  @Test
  void lateAnswerReplacesAnUnknownResultAndNoOther() {
    running();
    Instant first = beginCall(0).orElseThrow();
    store.attempted(result(first, PaymentCall.Result.UNKNOWN, "no answer"));
    now = NOON.plusSeconds(30);
    assertThat(store.ended(result(first, PaymentCall.Result.PAID, "ref-1"), PaymentState.PAID))
        .isTrue();
    store.attempted(result(first, PaymentCall.Result.UNKNOWN, "no answer"));
    assertThat(status())
        .isEqualTo(
            new PaymentStatus(id, "feed-" + id, PaymentState.PAID, 1, Optional.of(now), "ref-1"));
    assertThat(store.hasUnknownCall(id, Instant.EPOCH)).isFalse();
  }

  @Test
  void answerThatComesAfterTheEndIsTold() {
    running();
    Instant first = beginCall(0).orElseThrow();
    now = NOON.plus(MAX_TIME);
    store.failed(id, now, "given up, and may have been made");
    assertThat(store.ended(result(first, PaymentCall.Result.PAID, "ref-1"), PaymentState.PAID))
        .isFalse();
    assertThat(status().state()).isEqualTo(PaymentState.FAILED);
    assertThat(status().reason())
        .isEqualTo(
            "it is made, says an answer that came later; before: given up, and may have been made");
  }

  @Test
  void paymentInItsRetriesCanBeCancelled() {
    running();
    store.attempted(result(beginCall(0).orElseThrow(), PaymentCall.Result.RETRY, "status 503"));
    assertThat(otherNode.cancel(id)).contains(new Cancellation(PaymentState.CANCELLED, true));
    assertThat(status().reason()).isEqualTo("cancelled");
    assertThat(beginCall(1)).as("no call after that").isEmpty();
  }

  @Test
  void paymentIsNotCancelledDuringACallAndSaysWhatIsUnknownAfterIt() {
    running();
    assertThat(beginCall(0)).isPresent();
    now = NOON.plus(MAX_CALL).minusNanos(1_000);
    assertThat(otherNode.cancel(id)).contains(new Cancellation(PaymentState.RUNNING, false));
    now = NOON.plus(MAX_CALL);
    assertThat(otherNode.cancel(id)).contains(new Cancellation(PaymentState.CANCELLED, true));
    assertThat(status().reason()).isEqualTo("cancelled, and may have been made");
  }

  private PaymentStore.Portion cancelFeed() {
    return otherNode.cancel(new FeedScope.One("feed-" + id), "ann", 10);
  }

  @Test
  void paymentInItsRetriesIsCancelledWithItsFeed() {
    running();
    store.attempted(result(beginCall(0).orElseThrow(), PaymentCall.Result.RETRY, "status 503"));
    assertThat(cancelFeed()).isEqualTo(new PaymentStore.Portion(1, false));
    assertThat(status().state()).isEqualTo(PaymentState.CANCELLED);
    assertThat(status().reason()).isEqualTo("cancelled with its feed");
    assertThat(beginCall(1)).as("no call after that").isEmpty();
  }

  @Test
  void feedIsCancelledWithoutCallsInProgressAndSaysWhatIsUnknown() {
    running();
    assertThat(beginCall(0)).isPresent();
    now = NOON.plus(MAX_CALL).minusNanos(1_000);
    assertThat(cancelFeed()).isEqualTo(new PaymentStore.Portion(0, false));
    assertThat(status().state()).isEqualTo(PaymentState.RUNNING);
    now = NOON.plus(MAX_CALL);
    assertThat(cancelFeed()).isEqualTo(new PaymentStore.Portion(1, false));
    assertThat(status().reason()).isEqualTo("cancelled with its feed, and may have been made");
  }
}
