package dev.weir.store.tck.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Runs many callers at the same time. */
public final class Crowd {
  private Crowd() {}

  /** Runs a number of callers on their own threads, started together, and returns their results. */
  public static <T> List<T> concurrently(int callers, IntFunction<T> call) {
    return concurrently(
        IntStream.range(0, callers)
            .mapToObj(caller -> (Callable<T>) () -> call.apply(caller))
            .toList());
  }

  /** Runs all callers on their own threads, started together; throws the first failure. */
  public static <T> List<T> concurrently(List<? extends Callable<T>> callers) {
    CountDownLatch begin = new CountDownLatch(1);
    List<FutureTask<T>> tasks =
        callers.stream()
            .map(
                caller ->
                    new FutureTask<T>(
                        () -> {
                          begin.await();
                          return caller.call();
                        }))
            .toList();
    tasks.forEach(task -> Thread.ofVirtual().start(task));
    begin.countDown();
    List<T> results = new ArrayList<>();
    for (var task : tasks) {
      try {
        results.add(task.get());
      } catch (ExecutionException e) {
        throw new AssertionError("a caller failed", e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", e);
      }
    }
    return results;
  }
}
