package dev.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that a thread of the batcher works on, not one of its callers. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BatcherThreadTest {
  private static <T> FutureTask<T> call(Callable<T> work) {
    FutureTask<T> result = new FutureTask<>(work);
    Thread.ofVirtual().start(result);
    return result;
  }

  @Test
  void batchesRunOnAPlatformThreadOfTheBatcher() {
    List<Thread> workers = new ArrayList<>();
    Batcher<Integer, Integer> batcher =
        new Batcher<Integer, Integer>(
                numbers -> {
                  workers.add(Thread.currentThread());
                  return numbers;
                },
                10,
                10)
            .withThread("worker");

    assertThat(batcher.submit(List.of(1, 2))).containsExactly(1, 2);
    assertThat(batcher.submit(List.of(3))).containsExactly(3);

    assertThat(workers)
        .hasSize(2)
        .allSatisfy(
            thread -> {
              assertThat(thread.getName()).isEqualTo("worker");
              assertThat(thread.isVirtual()).isFalse();
              assertThat(thread.isDaemon()).isTrue();
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void everyCallerGetsItsOwnAnswerWhateverTheCrowd(int maxBatches) throws Exception {
    AtomicInteger inProgress = new AtomicInteger();
    ConcurrentLinkedQueue<Integer> sizes = new ConcurrentLinkedQueue<>();
    AtomicBoolean isBeyond = new AtomicBoolean();
    Batcher<Integer, Integer> batcher =
        new Batcher<Integer, Integer>(
                numbers -> {
                  if (inProgress.incrementAndGet() > maxBatches || numbers.size() > 16) {
                    isBeyond.set(true);
                  }
                  sizes.add(numbers.size());
                  List<Integer> answers = numbers.stream().map(number -> -number).toList();
                  inProgress.decrementAndGet();
                  return answers;
                },
                16,
                100_000,
                maxBatches)
            .withThread("worker");

    List<FutureTask<List<Integer>>> calls =
        IntStream.range(1, 2_000)
            .mapToObj(i -> call(() -> batcher.submit(List.of(i, i + 100_000))))
            .toList();

    for (int i = 0; i < calls.size(); i++) {
      assertThat(calls.get(i).get()).containsExactly(-(i + 1), -(i + 100_001));
    }
    assertThat(isBeyond).isFalse();
    assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(2 * calls.size());
  }

  @Test
  void failureOfABatchReachesItsCallersAndTheThreadGoesOn() {
    Batcher<Integer, Integer> batcher =
        new Batcher<Integer, Integer>(
                numbers ->
                    switch (numbers.getFirst()) {
                      case 1 -> throw new IllegalStateException("broken");
                      case 2 -> throw new AssertionError("out of order");
                      default -> numbers;
                    },
                10,
                10)
            .withThread("worker");

    assertThatThrownBy(() -> batcher.submit(List.of(1)))
        .isInstanceOf(StoreException.class)
        .hasMessage("broken");
    assertThatThrownBy(() -> batcher.submit(List.of(2)))
        .isInstanceOf(AssertionError.class)
        .hasMessage("out of order");
    assertThat(batcher.submit(List.of(3))).containsExactly(3);
  }

  @Test
  void callersDoNotWaitForABatchThatFindsNoThread() {
    AtomicBoolean isExhausted = new AtomicBoolean(true);
    Batcher<Integer, Integer> batcher =
        new Batcher<Integer, Integer>(numbers -> numbers, 10, 10)
            .withWorker(
                batch -> {
                  if (isExhausted.get()) {
                    throw new OutOfMemoryError("no thread");
                  }
                  batch.run();
                });

    assertThatThrownBy(() -> batcher.submit(List.of(1)))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("no thread");
    isExhausted.set(false);
    assertThat(batcher.submit(List.of(2))).containsExactly(2);
  }

  /** The maximum wait holds whether it is set before the thread or after it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void callerWhoseTurnDoesNotComeLearnsThatNothingWasDone(boolean isThreadFirst) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Batcher<Integer, Integer> plain =
        new Batcher<>(
            numbers -> {
              begun.countDown();
              await(goOn);
              return numbers;
            },
            10,
            10);
    Duration maxWait = Duration.ofMillis(20);
    Batcher<Integer, Integer> batcher =
        isThreadFirst
            ? plain.withThread("worker").withMaxWait(maxWait)
            : plain.withMaxWait(maxWait).withThread("worker");
    FutureTask<List<Integer>> first = call(() -> submitted(batcher, 1));
    begun.await();
    FutureTask<List<Integer>> second = call(() -> batcher.submit(List.of(2)));

    assertThatThrownBy(second::get)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            StoreException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(StoreException.Outcome.NONE));
    goOn.countDown();
    assertThat(first.get()).containsExactly(1);
    assertThat(submitted(batcher, 3)).containsExactly(3);
  }

  /** On a busy machine, even a thread with nothing to do may come too late. */
  private static List<Integer> submitted(Batcher<Integer, Integer> batcher, int number) {
    while (true) {
      try {
        return batcher.submit(List.of(number));
      } catch (StoreException tooLate) {
        assertThat(tooLate.outcome()).isEqualTo(StoreException.Outcome.NONE);
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("the work was interrupted", e);
    }
  }
}
