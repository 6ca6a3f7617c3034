package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore.Cancellation;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.workflows.Downstream.Answer;
import dev.weir.payments.workflows.PaymentScene.Settings;
import dev.weir.store.tck.internal.Await;
import dev.weir.workflows.LoopbackHttp;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Which calls follow a call that has not decided about a payment. */
final class RepeatedCallsTest {
  private static final Duration GIVE_UP = Duration.ofMinutes(10);
  private static final Settings CALM = new Settings(15, 20, 0, 0, GIVE_UP);

  /** A downstream whose answer depends on the number of the call. */
  private static final class Numbered implements Downstream {
    private final Function<Integer, Answer> answers;
    private final AtomicInteger calls = new AtomicInteger();

    Numbered(Function<Integer, Answer> answers) {
      this.answers = answers;
    }

    @Override
    public Answer pay(Payment payment) {
      return answers.apply(calls.incrementAndGet());
    }

    @Override
    public Duration maxCallTime() {
      return Duration.ofSeconds(3);
    }

    @Override
    public void close() {}
  }

  /** Cancels the payment as soon as no call is under way: until then it is refused. */
  private static void cancelBetweenCalls(PaymentScene scene) {
    String id = scene.payment(0).paymentId();
    Cancellation refused = new Cancellation(PaymentState.RUNNING, false);
    List<Cancellation> answers = new ArrayList<>();
    scene.time.await(
        "an end of the call under way",
        Duration.ofHours(1),
        () -> {
          answers.add(scene.payments.cancel(id).orElseThrow());
          return !answers.getLast().equals(refused);
        });
    assertThat(answers).last().isEqualTo(new Cancellation(PaymentState.CANCELLED, true));
  }

  private static PaymentStatus status(PaymentScene scene) {
    return scene.payments.find(scene.payment(0).paymentId()).orElseThrow();
  }

  @Test
  void waitThatTheDownstreamAsksForDoesNotPassTheTimeForCalls() {
    Numbered busy = new Numbered(call -> new Answer.Retry(Duration.ofHours(1), "status 503"));
    try (PaymentScene scene = PaymentScene.open(CALM, time -> busy)) {
      Instant begin = scene.time.instant();
      scene.receive("f", scene.feed(1));
      assertThat(scene.awaitDone("f").failed()).isEqualTo(1);
      assertThat(busy.calls).hasValue(1);
      assertThat(status(scene).reason()).isEqualTo("given up after 1 calls: status 503");
      assertThat(status(scene).endedAt().orElseThrow())
          .isBetween(begin.plus(GIVE_UP), begin.plus(Duration.ofMinutes(50)));
    }
  }

  @Test
  void paymentIsNotCalledAfterAnOutageThatIsLongerThanTheTimeForCalls() {
    Numbered dying =
        new Numbered(
            call -> {
              throw new Crashes.Crash("in the call");
            });
    try (PaymentScene scene = PaymentScene.open(CALM, time -> dying)) {
      scene.receive("f", scene.feed(1));
      scene.time.await("a call", Duration.ofHours(1), () -> dying.calls.get() > 0);
      try (PaymentScene restarted = scene.onAnotherTemporal(CALM)) {
        restarted.time.pass(GIVE_UP.plus(Duration.ofMinutes(5)));
        PaymentReconciler reconciler = restarted.reconciler(Duration.ofMinutes(1));
        while (reconciler.restartPage()) {
          // All pages.
        }
        assertThat(restarted.awaitDone("f").failed()).isEqualTo(1);
        assertThat(restarted.downstream.calls()).isZero();
        assertThat(status(restarted).reason())
            .startsWith("given up after")
            .contains("calls, and may have been made: its answer is not recorded");
      }
    }
  }

  @Test
  void refusalAfterTheCallOfACrashedWorkerSaysThatThePaymentMayHaveBeenMade() {
    Numbered dying =
        new Numbered(
            call -> {
              if (call == 1) {
                throw new Crashes.Crash("in the call");
              }
              return new Answer.Rejected("status 422");
            });
    try (PaymentScene scene = PaymentScene.open(new Settings(15, 20, 0, 0), time -> dying)) {
      scene.receive("f", scene.feed(1));
      assertThat(scene.awaitDone("f").failed()).isEqualTo(1);
      assertThat(dying.calls).hasValue(2);
      assertThat(status(scene).attempts()).isEqualTo(2);
      assertThat(status(scene).reason())
          .isEqualTo("refused, and may have been made by an earlier call: status 422");
    }
  }

  @Test
  void paymentInItsRetriesCanBeCancelled() {
    Numbered down = new Numbered(call -> new Answer.Retry(Duration.ZERO, "unreachable"));
    try (PaymentScene scene = PaymentScene.open(CALM, time -> down)) {
      scene.receive("f", scene.feed(1));
      scene.time.await("retries", Duration.ofHours(1), () -> status(scene).attempts() >= 2);
      cancelBetweenCalls(scene);
      assertThat(scene.awaitDone("f").cancelled()).isEqualTo(1);
      int calls = down.calls.get();
      scene.time.pass(Duration.ofHours(1));
      assertThat(down.calls).hasValue(calls);
      assertThat(status(scene).reason()).isEqualTo("cancelled");
    }
  }

  @Test
  void cancelledPaymentSaysThatAnEarlierCallMayHaveMadeIt() {
    Numbered silent = new Numbered(call -> new Answer.Unknown("the answer was lost", false));
    try (PaymentScene scene = PaymentScene.open(CALM, time -> silent)) {
      scene.receive("f", scene.feed(1));
      scene.time.await("retries", Duration.ofHours(1), () -> status(scene).attempts() >= 2);
      cancelBetweenCalls(scene);
      assertThat(status(scene).reason()).isEqualTo("cancelled, and may have been made");
    }
  }

  @Test
  void answerAboutAnotherPaymentEndsThisOneWithoutAFurtherCall() {
    Numbered confused =
        new Numbered(call -> new Answer.Contradicted("status 201, but its amount is 1, not 12.50"));
    try (PaymentScene scene = PaymentScene.open(CALM, time -> confused)) {
      scene.receive("f", scene.feed(1));
      assertThat(scene.awaitDone("f").failed()).isEqualTo(1);
      assertThat(confused.calls).hasValue(1);
      assertThat(status(scene).reason())
          .isEqualTo(
              "needs attention, and may have been made: status 201, but its amount is 1, not"
                  + " 12.50");
    }
  }

  /** As an API that handles a key once: later calls get 409 while the first is in progress. */
  @Test
  void paymentIsPaidWhenTheFirstCallIsAnsweredLateAndOthersFindItInProgress() {
    CountDownLatch inProgress = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    try (LoopbackHttp bank = new LoopbackHttp()) {
      bank.server()
          .createContext(
              "/payments",
              exchange -> {
                exchange.getRequestBody().readAllBytes();
                if (calls.incrementAndGet() == 1) {
                  awaitUnchecked(inProgress);
                  answer(exchange, 201);
                } else {
                  answer(exchange, 409);
                  inProgress.countDown();
                }
              });
      bank.server().start();
      try (PaymentScene scene =
          PaymentScene.open(
              // Calls that a busy machine delays do not use up the time for calls.
              new Settings(15, 20, 0, 0),
              time ->
                  new HttpDownstream(
                      new HttpDownstream.Settings(bank.url(), Duration.ofMillis(300), ""), time))) {
        scene.receive("f", scene.feed(1));
        scene.time.await("a call", Duration.ofHours(12), () -> calls.get() > 1);
        awaitUnchecked(inProgress);
        // No time is skipped until the late answer has come.
        Await.until(() -> status(scene).state() == PaymentState.PAID);
        assertThat(scene.awaitDone("f").paid()).isEqualTo(1);
      }
    }
  }

  private static void answer(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void lookUpAnswersInPlaceOfARepeatedCall() throws IOException {
    SimulatedBank[] bank = new SimulatedBank[1];
    // It books each payment and answers none.
    SimulatorSettings.Faults faults = new SimulatorSettings.Faults(0, 0, 0, 1);
    try (PaymentScene scene =
        PaymentScene.open(
            CALM,
            time -> {
              bank[0] = SimulatedBank.open(time, 20, faults);
              return bank[0].clientWithLookUp();
            })) {
      scene.receive("f", scene.feed(5));
      assertThat(scene.awaitDone("f").paid()).isEqualTo(5);
      assertThat(bank[0].calls().calls()).as("no call was repeated").isEqualTo(5);
      assertThat(status(scene).reason()).startsWith("SIM-");
    } finally {
      bank[0].close();
    }
  }
}
