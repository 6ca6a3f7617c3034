package dev.weir.workflows.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/** Work on virtual threads. */
public final class Tasks {
  private Tasks() {}

  /**
   * Runs tasks, several at a time, and returns their results in their order. If one fails, the
   * others run nevertheless, and its failure is thrown when all have ended.
   */
  public static <T> List<T> runAll(int maxConcurrent, List<? extends Callable<T>> tasks) {
    List<FutureTask<T>> runs = new ArrayList<>(tasks.size());
    for (Callable<T> task : tasks) {
      runs.add(new FutureTask<>(task));
    }
    // Each thread takes the next one that is left.
    AtomicInteger next = new AtomicInteger();
    Runnable work =
        () -> {
          for (int i = next.getAndIncrement(); i < runs.size(); i = next.getAndIncrement()) {
            runs.get(i).run();
          }
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < Math.min(maxConcurrent, runs.size()); i++) {
        threads.execute(work);
      }
    }
    List<T> results = new ArrayList<>(runs.size());
    for (FutureTask<T> run : runs) {
      results.add(result(run));
    }
    return results;
  }

  /** Waits for a result, and throws the failure of a task that has failed. */
  public static <T> T result(Future<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a task runs", e);
    }
  }
}
