package dev.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What callers learn whose batch fails, whose turn does not come, or who are interrupted. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BatcherFailureTest {
  @Test
  void failureReachesEveryCallerOfTheBatchAndNoOther() throws Exception {
    Doubler doubler = new Doubler();
    IllegalStateException broken = new IllegalStateException("broken");
    Batcher<Integer, Integer> batcher =
        new Batcher<>(
            numbers -> {
              List<Integer> doubled = doubler.apply(numbers);
              if (numbers.contains(2)) {
                throw broken;
              }
              return doubled;
            },
            100,
            100);
    Call<List<Integer>> first = Call.of(() -> batcher.submit(List.of(1)));
    doubler.begun.await();
    Call<List<Integer>> second = Call.of(() -> batcher.submit(List.of(2))).untilItWaits();
    Call<List<Integer>> third = Call.of(() -> batcher.submit(List.of(3))).untilItWaits();
    doubler.goOn.countDown();

    assertThat(first.result().get()).containsExactly(2);
    for (Call<List<Integer>> call : List.of(second, third)) {
      assertThatThrownBy(call.result()::get)
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(StoreException.class)
          .hasMessage("broken")
          .hasCause(broken);
    }
    assertThat(batcher.submit(List.of(4))).containsExactly(8);
  }

  @Test
  void anErrorLeavesNoCallerWaiting() throws Exception {
    Doubler doubler = new Doubler();
    Batcher<Integer, Integer> batcher =
        new Batcher<>(
            numbers -> {
              doubler.apply(numbers);
              throw new AssertionError("out of order");
            },
            100,
            100);
    Call<List<Integer>> first = Call.of(() -> batcher.submit(List.of(1)));
    doubler.begun.await();
    Call<List<Integer>> second = Call.of(() -> batcher.submit(List.of(2))).untilItWaits();
    Call<List<Integer>> third = Call.of(() -> batcher.submit(List.of(3))).untilItWaits();
    doubler.goOn.countDown();

    // Also to those for whom another caller did the work: an error is not a failure of the store.
    for (Call<List<Integer>> call : List.of(first, second, third)) {
      assertThatThrownBy(call.result()::get)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(AssertionError.class);
    }
  }

  @Test
  void workThatForgetsAnAnswerIsAFailure() {
    Batcher<Integer, Integer> batcher = new Batcher<>(numbers -> List.of(), 10, 10);

    assertThatThrownBy(() -> batcher.submit(List.of(1)))
        .isInstanceOf(StoreException.class)
        .hasMessage("the batch broke off")
        .returns(StoreException.Outcome.UNKNOWN, BatcherFailureTest::outcome);
  }

  private static StoreException.Outcome outcome(Throwable failure) {
    return ((StoreException) failure).outcome();
  }

  /** Callers that share a call get the same failure; other failures have an unknown outcome. */
  @Test
  void sharesWhatIsKnownAboutAFailure() {
    for (StoreException.Outcome outcome : StoreException.Outcome.values()) {
      Batcher<Integer, Integer> batcher =
          new Batcher<>(
              numbers -> {
                throw new StoreException(outcome, "gone");
              },
              10,
              10);
      assertThatThrownBy(() -> batcher.submit(List.of(1)))
          .isInstanceOf(StoreException.class)
          .returns(outcome, BatcherFailureTest::outcome);
    }
    Batcher<Integer, Integer> faulty =
        new Batcher<>(
            numbers -> {
              throw new IllegalStateException("a fault");
            },
            10,
            10);
    assertThatThrownBy(() -> faulty.submit(List.of(1)))
        .returns(StoreException.Outcome.UNKNOWN, BatcherFailureTest::outcome);
  }

  @Test
  void rejectsCallersWhenTooManyWait() throws Exception {
    Doubler doubler = new Doubler();
    Batcher<Integer, Integer> batcher = new Batcher<>(doubler, 2, 3);
    Call<List<Integer>> first = Call.of(() -> batcher.submit(List.of(1)));
    doubler.begun.await();
    Call<List<Integer>> second = Call.of(() -> batcher.submit(List.of(2, 3))).untilItWaits();

    assertThatThrownBy(() -> batcher.submit(List.of(4, 5)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("overloaded")
        .returns(StoreException.Outcome.NONE, BatcherFailureTest::outcome);
    Call<List<Integer>> fits = Call.of(() -> batcher.submit(List.of(6))).untilItWaits();
    doubler.goOn.countDown();

    assertThat(first.result().get()).containsExactly(2);
    assertThat(second.result().get()).containsExactly(4, 6);
    assertThat(fits.result().get()).containsExactly(12);
    assertThat(batcher.submit(List.of(7, 8, 9))).containsExactly(14, 16, 18);
  }

  @Test
  void callerWhoseTurnDoesNotComeLearnsThatNothingWasDone() throws Exception {
    Doubler doubler = new Doubler();
    Batcher<Integer, Integer> batcher =
        new Batcher<>(doubler, 2, 3).withMaxWait(Duration.ofMillis(50));
    Call<List<Integer>> first = Call.of(() -> submitted(batcher, 1));
    Doubler.await(doubler.begun);

    // More than may wait at the same time: callers that gave up no longer count.
    for (int i = 0; i < 8; i++) {
      assertThatThrownBy(() -> batcher.submit(List.of(2, 3)))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.outcome()).isEqualTo(StoreException.Outcome.NONE))
          .hasMessageStartingWith("no turn within");
    }
    doubler.goOn.countDown();

    assertThat(first.result().get()).containsExactly(2);
    assertThat(submitted(batcher, 4)).containsExactly(8);
    assertThat(doubler.batches).containsExactly(List.of(1), List.of(4));
  }

  /** On a busy machine, even a caller without others may take longer than it may wait. */
  private static List<Integer> submitted(Batcher<Integer, Integer> batcher, int number) {
    while (true) {
      try {
        return batcher.submit(List.of(number));
      } catch (StoreException tooLate) {
        assertThat(tooLate.outcome()).isEqualTo(StoreException.Outcome.NONE);
      }
    }
  }

  @Test
  void requestIsEitherProcessedOrGivenUpInEveryRace() throws Exception {
    Set<Integer> worked = ConcurrentHashMap.newKeySet();
    AtomicInteger givenUp = new AtomicInteger();
    Batcher<Integer, Integer> batcher =
        new Batcher<Integer, Integer>(
                numbers -> {
                  worked.addAll(numbers);
                  // About as long as the maximum wait, so that both outcomes occur.
                  LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
                  return numbers;
                },
                3,
                1_000)
            .withMaxWait(Duration.ofNanos(500_000));
    IntPredicate isProcessedOrGivenUp =
        number -> {
          try {
            return batcher.submit(List.of(number)).equals(List.of(number));
          } catch (StoreException e) {
            givenUp.incrementAndGet();
            return !worked.contains(number);
          }
        };
    List<Call<Boolean>> calls = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      int number = i;
      calls.add(Call.of(() -> isProcessedOrGivenUp.test(number)));
    }
    for (Call<Boolean> call : calls) {
      assertThat(call.result().get()).isTrue();
    }
    assertThat(worked.size() + givenUp.get()).isEqualTo(2_000);
    // Also without others: a busy machine may take longer than the maximum wait to begin.
    assertThat(isProcessedOrGivenUp.test(2_000)).isTrue();
  }

  @Test
  void callersThatAreGivenUpWhileABatchIsGatheredDoNotStopTheNextOnes() throws Exception {
    for (int round = 0; round < 300; round++) {
      // A caller that has to wait fails immediately, even while a batch is being gathered.
      Batcher<Integer, Integer> batcher =
          new Batcher<Integer, Integer>(numbers -> numbers, 3, 1_000)
              .withMaxWait(Duration.ofNanos(1));
      List<Call<Boolean>> calls = new ArrayList<>();
      for (int caller = 0; caller < 4; caller++) {
        calls.add(
            Call.of(
                () -> {
                  for (int i = 0; i < 30; i++) {
                    boolean unused = isProcessed(batcher);
                  }
                  return true;
                }));
      }
      for (Call<Boolean> call : calls) {
        assertThat(call.result().get()).isTrue();
      }
      // The last deadline may still be watched.
      assertThat(IntStream.range(0, 10_000).anyMatch(i -> isProcessed(batcher)))
          .as("a lone caller gets its turn")
          .isTrue();
    }
  }

  private static boolean isProcessed(Batcher<Integer, Integer> batcher) {
    try {
      return batcher.submit(List.of(1)).equals(List.of(1));
    } catch (StoreException e) {
      return false;
    }
  }

  @Test
  void interruptedCallerStillGetsItsAnswerAndKeepsTheInterrupt() throws Exception {
    Doubler doubler = new Doubler();
    Batcher<Integer, Integer> batcher = new Batcher<>(doubler, 10, 10);
    Call<List<Integer>> first = Call.of(() -> batcher.submit(List.of(1)));
    doubler.begun.await();
    Call<Boolean> second =
        Call.of(
                () -> {
                  assertThat(batcher.submit(List.of(2))).containsExactly(4);
                  return Thread.currentThread().isInterrupted();
                })
            .untilItWaits();

    second.thread().interrupt();
    doubler.goOn.countDown();

    assertThat(second.result().get()).isTrue();
    assertThat(first.result().get()).containsExactly(2);
  }

  @Test
  void interruptedWorkerDoesNotTearTheBatchApart() throws Exception {
    Doubler doubler = new Doubler();
    doubler.goOn.countDown();
    Batcher<Integer, Integer> batcher = new Batcher<>(doubler, 10, 10);

    Call<Boolean> call =
        Call.of(
            () -> {
              Thread.currentThread().interrupt();
              assertThat(batcher.submit(List.of(1))).containsExactly(2);
              return Thread.currentThread().isInterrupted();
            });

    assertThat(call.result().get()).isTrue();
  }
}
