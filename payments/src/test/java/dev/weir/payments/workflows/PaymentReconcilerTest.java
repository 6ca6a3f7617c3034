package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.StoreException;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedState;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Chunk;
import dev.weir.payments.PaymentStore.SlotSpan;
import dev.weir.payments.workflows.PaymentScene.Settings;
import dev.weir.slots.SlotState;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PaymentReconcilerTest {
  private static final Settings CALM = new Settings(15, 20, 0, 0);
  private static final Duration GRACE = Duration.ofMinutes(1);

  /** Stores a feed as a process does that crashes before it starts anything. */
  private static void storeOnly(PaymentScene scene, Iterator<FeedRecord> records) {
    PaymentStore.Reception reception =
        ((PaymentStore.Opening.Opened) scene.store.open(scene.feedId("f"), scene.name)).reception();
    List<FeedRecord> all = new ArrayList<>();
    records.forEachRemaining(
        record ->
            all.add(
                new FeedRecord.Accepted(
                    record.line(), ((FeedRecord.Accepted) record).payment().orConfig(scene.name))));
    scene.store.add(reception, all);
    scene.store.complete(reception, "digest");
  }

  /** Assigns slots to 20 payments as a process does that crashes before it starts them. */
  private static void assignOnly(PaymentScene scene) {
    storeOnly(scene, scene.feed(20));
    String feedId = scene.feedId("f");
    Chunk chunk = scene.store.chunk(feedId, 0, 100).orElseThrow();
    SlotSpan span = SlotSpan.NONE;
    for (PaymentStore.FeedPayment entry : chunk.payments()) {
      span =
          span.and(scene.scheduler.assign(entry.payment().paymentId(), scene.name).scheduledTime());
    }
    scene.store.assigned(feedId, chunk, span, List.of());
    scene.store.started(feedId, 0);
    scene.store.allStarted(feedId);
  }

  private static void restartAll(PaymentReconciler reconciler) {
    boolean hasMore = true;
    while (hasMore) {
      hasMore = reconciler.restartPage();
    }
  }

  /** Returns the store of a scene, whose pages of open payments are shown before their reader. */
  private static PaymentStore watched(
      PaymentScene scene, BiConsumer<List<PaymentStore.OpenPayment>, Object[]> onPage) {
    return (PaymentStore)
        Proxy.newProxyInstance(
            PaymentStore.class.getClassLoader(),
            new Class<?>[] {PaymentStore.class},
            (proxy, method, arguments) -> {
              Object result = method.invoke(scene.store, arguments);
              if (List.of("open", "overdue").contains(method.getName())
                  && result instanceof List<?> page) {
                onPage.accept(
                    page.stream().map(PaymentStore.OpenPayment.class::cast).toList(), arguments);
              }
              return result;
            });
  }

  private static PaymentReconciler reconciler(PaymentScene scene, PaymentStore store) {
    return reconciler(scene, store, PaymentObserver.NONE);
  }

  private static PaymentReconciler reconciler(
      PaymentScene scene, PaymentStore store, PaymentObserver observer) {
    PaymentParts parts = scene.parts;
    return new PaymentReconciler(
        scene.time.client(),
        new PaymentParts(
            store,
            parts.slots(),
            parts.ceiling(),
            parts.gate(),
            parts.downstream(),
            parts.attempts(),
            parts.taskQueue(),
            parts.clock(),
            observer),
        GRACE);
  }

  /** The clock of the store says what is overdue, not that of the node that asks. */
  @Test
  void nodeWhoseClockIsWrongFindsWhatIsOverdue() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      assignOnly(scene);
      scene.time.pass(GRACE.multipliedBy(2));
      for (Duration error : List.of(Duration.ofDays(-31), Duration.ofDays(31))) {
        List<Object> before = new ArrayList<>();
        PaymentStore store = watched(scene, (page, arguments) -> before.add(arguments[0]));
        PaymentParts parts = scene.parts;
        new PaymentReconciler(
                scene.time.client(),
                new PaymentParts(
                    store,
                    parts.slots(),
                    parts.ceiling(),
                    parts.gate(),
                    parts.downstream(),
                    parts.attempts(),
                    parts.taskQueue(),
                    () -> parts.clock().instant().plus(error),
                    PaymentObserver.NONE),
                GRACE)
            .run();
        assertThat((Instant) before.getFirst())
            .isCloseTo(scene.time.instant().minus(GRACE), within(1, ChronoUnit.HOURS));
      }
    }
  }

  @Test
  void restartGoesOnAtThePageThatFailed() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      List<Object> begins = new ArrayList<>();
      PaymentReconciler reconciler =
          reconciler(
              scene,
              watched(
                  scene,
                  (page, arguments) -> {
                    begins.add(arguments[0]);
                    if (begins.size() == 3) {
                      throw new StoreException(StoreException.Outcome.NONE, "away");
                    }
                  }));
      assertThat(reconciler.restartPage()).isTrue();
      assertThat(reconciler.restartPage()).isTrue();
      assertThatThrownBy(reconciler::restartPage).isInstanceOf(StoreException.class);
      // The spans count from the beginning, not from the repetition.
      scene.time.pass(Duration.ofMinutes(5));
      restartAll(reconciler);
      assertThat(begins.get(3)).isEqualTo(begins.get(2));
      begins.remove(3);
      Instant begun = (Instant) begins.get(1);
      assertThat(begins)
          .containsExactly(
              Instant.MIN,
              begun,
              begun.plus(Duration.ofMinutes(1)),
              begun.plus(Duration.ofMinutes(10)),
              begun.plus(Duration.ofHours(1)),
              begun.plus(Duration.ofHours(6)),
              begun.plus(Duration.ofDays(1)),
              begun.plus(Duration.ofDays(7)));
    }
  }

  @Test
  void startsAFeedThatWasStoredAndNotStarted() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      storeOnly(scene, scene.feed(20));
      scene.time.pass(Duration.ofHours(1));
      assertThat(scene.status("f").state()).isEqualTo(FeedState.STARTING);
      scene.reconciler(GRACE).run();
      assertThat(scene.awaitDone("f").paid()).isEqualTo(20);
      assertThat(scene.downstream.calls()).isEqualTo(20);
    }
  }

  @Test
  void startsPaymentsThatHaveASlotAndNoWorkflow() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      assignOnly(scene);
      scene.time.pass(Duration.ofMinutes(2));
      assertThat(scene.downstream.calls()).isZero();

      scene.reconciler(Duration.ofHours(1)).run();
      scene.time.pass(Duration.ofSeconds(10));
      assertThat(scene.downstream.calls()).as("not overdue yet").isZero();
      scene.reconciler(GRACE).run();
      assertThat(scene.awaitDone("f").paid()).isEqualTo(20);
      assertThat(scene.downstream.calls()).isEqualTo(20);
      assertThat(scene.downstream.maxInASecond()).isLessThanOrEqualTo(20);
    }
  }

  /** As after a long hold, when more payments are due than one round looks at. */
  @Test
  void saysWhetherThereAreMorePaymentsThanARoundLooksAt() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      assignOnly(scene);
      scene.time.pass(Duration.ofMinutes(2));
      PaymentReconciler reconciler =
          new PaymentReconciler(scene.time.client(), scene.parts, GRACE, 4, 8);
      assertThat(reconciler.runPart()).isTrue();
      assertThat(reconciler.runPart()).isTrue();
      // Of other tests as well.
      boolean hasMore = true;
      while (hasMore) {
        hasMore = reconciler.runPart();
      }
      assertThat(scene.awaitDone("f").paid()).isEqualTo(20);
    }
  }

  @Test
  void paymentThatEndsBeforeItIsStartedAgainIsNotLost() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      assignOnly(scene);
      scene.time.pass(Duration.ofMinutes(2));
      String ended = scene.payment(7).paymentId();
      Instant now = scene.time.instant();
      PaymentStore store =
          watched(
              scene,
              (page, arguments) -> {
                if (page.stream().anyMatch(entry -> entry.payment().paymentId().equals(ended))) {
                  scene.store.ended(
                      new PaymentCall(ended, now, now, PaymentCall.Result.PAID, "r"),
                      PaymentState.PAID);
                }
              });
      AtomicLong restarted = new AtomicLong();
      PaymentObserver observer =
          (metric, label, amount) -> {
            if (metric == PaymentMetric.RESTARTED) {
              restarted.addAndGet((long) amount);
            }
          };
      reconciler(scene, store, observer).run();
      assertThat(restarted).hasValue(19);
      assertThat(scene.awaitDone("f").paid()).isEqualTo(20);
      assertThat(scene.downstream.calls()).isEqualTo(19);
    }
  }

  @Test
  void startsWhatIsDueFirst() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      Instant tomorrow = scene.time.instant().plus(Duration.ofDays(1));
      Payment later = scene.payment(1, Optional.of(tomorrow));
      Payment due = scene.payment(2);
      storeOnly(scene, PaymentScene.feed(List.of(later, due)));
      String feedId = scene.feedId("f");
      Chunk chunk = scene.store.chunk(feedId, 0, 100).orElseThrow();
      SlotSpan span =
          SlotSpan.NONE
              .and(scene.scheduler.assign(due.paymentId(), scene.name).scheduledTime())
              .and(scene.scheduler.assign(later.paymentId(), scene.name, tomorrow).scheduledTime());
      scene.store.assigned(feedId, chunk, span, List.of());
      scene.store.started(feedId, 0);
      scene.store.allStarted(feedId);
      scene.time.pass(Duration.ofMinutes(2));
      List<String> order = new ArrayList<>();
      PaymentStore recording =
          watched(
              scene,
              (result, arguments) ->
                  result.forEach(entry -> order.add(entry.payment().paymentId())));
      restartAll(reconciler(scene, recording));
      assertThat(order)
          .filteredOn(id -> id.startsWith(scene.name))
          .containsExactly(due.paymentId(), later.paymentId());
    }
  }

  @Test
  void startsAPaymentAgainWhoseWorkflowWasTerminated() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      Instant now = scene.time.instant();
      Payment payment = scene.payment(1, Optional.of(now.plus(Duration.ofHours(1))));
      Payment later = scene.payment(2, Optional.of(now.plus(Duration.ofDays(1))));
      scene.receive("f", PaymentScene.feed(List.of(payment, later)));
      scene.time.await(
          "the start of the feed",
          Duration.ofMinutes(30),
          () -> scene.status("f").state() == FeedState.STARTED);
      scene
          .time
          .client()
          .newUntypedWorkflowStub("payment/" + payment.paymentId())
          .terminate("by hand");
      scene.time.pass(Duration.ofHours(2));
      assertThat(scene.downstream.calls()).isZero();
      scene.reconciler(GRACE).run();
      scene.time.await(
          "the lost payment", Duration.ofHours(1), () -> scene.status("f").paid() == 1);
      assertThat(scene.scheduler.find(payment.paymentId()).orElseThrow().state())
          .isEqualTo(SlotState.CONFIRMED);
      assertThat(scene.downstream.calls(later.paymentId())).isZero();
    }
  }

  @Test
  void paysOnceWhenTemporalHasLostEverything() {
    Payment[] later = new Payment[20];
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      Instant tomorrow = scene.time.instant().plus(Duration.ofDays(1));
      List<Payment> payments =
          new ArrayList<>(IntStream.range(0, 20).mapToObj(scene::payment).toList());
      for (int i = 0; i < later.length; i++) {
        later[i] = scene.payment(100 + i, Optional.of(tomorrow));
        payments.add(later[i]);
      }
      scene.receive("f", PaymentScene.feed(payments));
      scene.time.await(
          "the first payments", Duration.ofHours(1), () -> scene.status("f").paid() == 20);

      try (PaymentScene empty = scene.onAnotherTemporal(CALM)) {
        restartAll(empty.reconciler(GRACE));
        empty.time.pass(Duration.ofHours(12));
        assertThat(empty.downstream.calls()).isZero();
        empty.time.pass(Duration.ofHours(13));
        assertThat(empty.awaitDone("f").paid()).isEqualTo(40);
        assertThat(empty.downstream.booked()).hasSize(20);
        assertThat(empty.downstream.calls()).isEqualTo(20);
        restartAll(empty.reconciler(GRACE));
        empty.time.pass(Duration.ofDays(1));
        assertThat(empty.downstream.calls()).isEqualTo(20);
      }
    }
  }

  @Test
  void leavesWhatRunsAlone() {
    // One call a second, so that the payments are in line for a while.
    try (PaymentScene scene = PaymentScene.open(new Settings(10_000, 1, 0, 0))) {
      scene.receive("f", scene.feed(20));
      scene.time.awaitClosely("a payment", Duration.ofHours(1), () -> scene.status("f").paid() > 0);
      assertThat(scene.status("f").paid()).isLessThan(20);
      scene.reconciler(Duration.ZERO).run();
      assertThat(scene.awaitDone("f").paid()).isEqualTo(20);
      assertThat(scene.downstream.calls()).isEqualTo(20);
      assertThat(scene.downstream.maxInASecond()).isEqualTo(1);
    }
  }
}
