package dev.weir.workflows;

import dev.weir.workflows.SlotSource.PacedSlot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/** Workflows that have their slots and can be started. */
public final class PacedBatch {
  private final PacedStarter starter;
  private final List<Entry> entries;

  record Entry(PacedRequest request, PacedSlot slot) {}

  PacedBatch(PacedStarter starter, List<Entry> entries) {
    this.starter = starter;
    this.entries = List.copyOf(entries);
  }

  /** Returns the slots, one for each request. */
  public List<PacedSlot> slots() {
    return entries.stream().map(Entry::slot).toList();
  }

  /**
   * Starts the workflows from one index up to another, several at a time. If one fails, the others
   * are started nevertheless, and all may be started again.
   *
   * @throws dev.weir.engine.StoreException if the slots are unavailable
   * @throws io.temporal.client.WorkflowException if Temporal refuses a start
   */
  public List<PacedStart> start(int from, int until) {
    List<Entry> portion = entries.subList(from, until);
    if (portion.size() == 1) {
      return List.of(starter.start(portion.getFirst()));
    }
    List<FutureTask<PacedStart>> starts = new ArrayList<>(portion.size());
    for (Entry entry : portion) {
      starts.add(new FutureTask<>(() -> starter.start(entry)));
    }
    // Each thread takes the next one that is left.
    AtomicInteger next = new AtomicInteger();
    Runnable work =
        () -> {
          for (int i = next.getAndIncrement(); i < starts.size(); i = next.getAndIncrement()) {
            starts.get(i).run();
          }
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < Math.min(starter.maxConcurrentStarts(), starts.size()); i++) {
        threads.execute(work);
      }
    }
    List<PacedStart> results = new ArrayList<>(starts.size());
    for (FutureTask<PacedStart> start : starts) {
      results.add(result(start));
    }
    return results;
  }

  /** All are done, because their executor is closed. */
  private static PacedStart result(FutureTask<PacedStart> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted after all starts were done", e);
    }
  }
}
