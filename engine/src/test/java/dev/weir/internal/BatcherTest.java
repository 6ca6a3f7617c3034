package dev.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BatcherTest {
  @Test
  void singleCallerWorksImmediatelyOnItsOwnThread() {
    List<Thread> workers = new ArrayList<>();
    Batcher<Integer, Integer> batcher =
        new Batcher<>(
            numbers -> {
              workers.add(Thread.currentThread());
              return numbers;
            },
            10,
            10);

    assertThat(batcher.submit(List.of(1, 2, 3))).containsExactly(1, 2, 3);
    assertThat(workers).containsExactly(Thread.currentThread());
  }

  @Test
  void callersGatherWhileABatchIsUnderWay() throws Exception {
    Doubler doubler = new Doubler();
    Batcher<Integer, Integer> batcher = new Batcher<>(doubler, 100, 100);
    Call<List<Integer>> first = Call.of(() -> batcher.submit(List.of(1)));
    doubler.begun.await();

    Call<List<Integer>> second = Call.of(() -> batcher.submit(List.of(2, 3))).untilItWaits();
    Call<List<Integer>> third = Call.of(() -> batcher.submit(List.of(4))).untilItWaits();
    Call<List<Integer>> fourth = Call.of(() -> batcher.submit(List.of(5, 6))).untilItWaits();
    doubler.goOn.countDown();

    assertThat(first.result().get()).containsExactly(2);
    assertThat(second.result().get()).containsExactly(4, 6);
    assertThat(third.result().get()).containsExactly(8);
    assertThat(fourth.result().get()).containsExactly(10, 12);
    assertThat(doubler.batches).containsExactly(List.of(1), List.of(2, 3, 4, 5, 6));
  }

  @Test
  void batchIsNotFilledBeyondItsBound() throws Exception {
    Doubler doubler = new Doubler();
    Batcher<Integer, Integer> batcher = new Batcher<>(doubler, 3, 100);
    Call<List<Integer>> first = Call.of(() -> batcher.submit(List.of(1)));
    doubler.begun.await();

    List<Call<List<Integer>>> others =
        List.of(
            Call.of(() -> batcher.submit(List.of(2, 3))).untilItWaits(),
            Call.of(() -> batcher.submit(List.of(4, 5))).untilItWaits(),
            Call.of(() -> batcher.submit(List.of(6, 7, 8, 9))).untilItWaits(),
            Call.of(() -> batcher.submit(List.of(10))).untilItWaits());
    doubler.goOn.countDown();

    assertThat(first.result().get()).containsExactly(2);
    assertThat(others.get(2).result().get()).containsExactly(12, 14, 16, 18);
    assertThat(others.get(3).result().get()).containsExactly(20);
    // A request larger than the maximum is processed alone.
    assertThat(doubler.batches)
        .containsExactly(
            List.of(1), List.of(2, 3), List.of(4, 5), List.of(6, 7, 8, 9), List.of(10));
  }

  /** Whichever caller does the work first, also with batches of a single request. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 100})
  void worksInTheOrderOfEnqueueingWhicheverCallerWaitsFirst(int maxBatch) throws Exception {
    Doubler doubler = new Doubler();
    doubler.goOn.countDown();
    Batcher<Integer, Integer> batcher = new Batcher<>(doubler, maxBatch, 100);
    List<Batcher.Pending<Integer>> pending =
        IntStream.range(0, 10).mapToObj(i -> batcher.enqueue(List.of(i))).toList();

    for (int i = pending.size() - 1; i >= 0; i--) {
      int number = i;
      assertThat(Call.of(() -> pending.get(number).await()).result().get())
          .containsExactly(2 * number);
    }

    assertThat(doubler.batches.stream().flatMap(List::stream).toList())
        .isEqualTo(IntStream.range(0, 10).boxed().toList());
  }

  @Test
  void requestsThatAreNotAwaitedDoNotBlockOthers() throws Exception {
    Doubler doubler = new Doubler();
    Batcher<Integer, Integer> batcher = new Batcher<>(doubler, 1, 100);
    Call<List<Integer>> first = Call.of(() -> batcher.submit(List.of(1)));
    doubler.begun.await();
    Batcher.Pending<Integer> late = batcher.enqueue(List.of(2));
    Call<List<Integer>> third = Call.of(() -> batcher.submit(List.of(3))).untilItWaits();
    doubler.goOn.countDown();

    assertThat(first.result().get()).containsExactly(2);
    assertThat(third.result().get()).containsExactly(6);
    assertThat(late.await()).containsExactly(4);
    assertThat(doubler.batches).containsExactly(List.of(1), List.of(2), List.of(3));
  }

  /** Works on each batch once it is released. */
  private static final class Held implements Function<List<Integer>, List<Integer>> {
    final BlockingQueue<List<Integer>> begun = new LinkedBlockingQueue<>();
    final Semaphore goOn = new Semaphore(0);

    @Override
    public List<Integer> apply(List<Integer> numbers) {
      begun.add(numbers);
      goOn.acquireUninterruptibly();
      return numbers;
    }
  }

  @Test
  void batchBesideAnotherStartsWithHalfAsMany() throws Exception {
    Held held = new Held();
    Batcher<Integer, Integer> batcher = new Batcher<>(held, 100, 100, 2);
    Call<List<Integer>> first = Call.of(() -> batcher.submit(List.of(1, 2, 3, 4)));
    assertThat(held.begun.take()).containsExactly(1, 2, 3, 4);

    Call<List<Integer>> second = Call.of(() -> batcher.submit(List.of(5))).untilItWaits();
    assertThat(held.begun).isEmpty();
    Call<List<Integer>> third = Call.of(() -> batcher.submit(List.of(6)));
    assertThat(held.begun.take()).containsExactlyInAnyOrder(5, 6);

    // No third batch beside the two, however many callers wait.
    Call<List<Integer>> fourth = Call.of(() -> batcher.submit(List.of(7, 8, 9))).untilItWaits();
    assertThat(held.begun).isEmpty();
    held.goOn.release(1);
    assertThat(held.begun.take()).containsExactly(7, 8, 9);
    held.goOn.release(2);
    for (Call<List<Integer>> call : List.of(first, second, third, fourth)) {
      assertThat(call.result().get()).isNotEmpty();
    }
  }

  @Test
  void thoseWhoWaitAreDividedAmongTwoBatches() throws Exception {
    Held held = new Held();
    Batcher<Integer, Integer> batcher = new Batcher<>(held, 100, 100, 2);
    // So large that no other batch may start beside it, so that all others wait.
    List<Integer> many = IntStream.range(100, 150).boxed().toList();
    Call<List<Integer>> first = Call.of(() -> batcher.submit(many));
    held.begun.take();
    List<Call<List<Integer>>> others =
        IntStream.range(0, 20)
            .mapToObj(i -> Call.of(() -> batcher.submit(List.of(i))).untilItWaits())
            .toList();
    held.goOn.release(1);

    List<Integer> one = held.begun.take();
    List<Integer> other = held.begun.take();
    assertThat(one).hasSize(10);
    assertThat(other).hasSize(10).doesNotContainAnyElementsOf(one);
    held.goOn.release(2);
    assertThat(first.result().get()).isEqualTo(many);
    for (int i = 0; i < others.size(); i++) {
      assertThat(others.get(i).result().get()).containsExactly(i);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void everyCallerGetsItsOwnAnswerWhateverTheCrowd(int mostBatches) throws Exception {
    AtomicInteger batches = new AtomicInteger();
    ConcurrentLinkedQueue<Integer> sizes = new ConcurrentLinkedQueue<>();
    Batcher<Integer, Integer> batcher =
        new Batcher<>(
            numbers -> {
              sizes.add(batches.incrementAndGet() <= mostBatches ? numbers.size() : 1_000);
              List<Integer> answers = numbers.stream().map(number -> -number).toList();
              batches.decrementAndGet();
              return answers;
            },
            16,
            100_000,
            mostBatches);

    List<Call<List<Integer>>> calls =
        IntStream.range(1, 2_000)
            .mapToObj(i -> Call.of(() -> batcher.submit(List.of(i, i + 100_000))))
            .toList();

    for (int i = 0; i < calls.size(); i++) {
      assertThat(calls.get(i).result().get()).containsExactly(-(i + 1), -(i + 100_001));
    }
    assertThat(sizes).allMatch(size -> size <= 16);
    assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(2 * calls.size());
  }
}
