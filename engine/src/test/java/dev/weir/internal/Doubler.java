package dev.weir.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/** Doubles each number, and holds its first batch until it is released. */
final class Doubler implements Function<List<Integer>, List<Integer>> {
  final List<List<Integer>> batches = new ArrayList<>();
  final CountDownLatch begun = new CountDownLatch(1);
  final CountDownLatch goOn = new CountDownLatch(1);

  @Override
  public List<Integer> apply(List<Integer> numbers) {
    batches.add(List.copyOf(numbers));
    begun.countDown();
    await(goOn);
    return numbers.stream().map(number -> number * 2).toList();
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("the work was interrupted", e);
    }
  }
}
