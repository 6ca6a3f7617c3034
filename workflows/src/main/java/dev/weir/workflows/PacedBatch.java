package dev.weir.workflows;

import dev.weir.workflows.SlotSource.PacedSlot;
import dev.weir.workflows.internal.Tasks;
import java.util.List;
import java.util.concurrent.Callable;

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
   * @throws dev.weir.StoreException if the slots are unavailable
   * @throws io.temporal.client.WorkflowException if Temporal refuses a start
   */
  public List<PacedStart> start(int from, int until) {
    List<Entry> portion = entries.subList(from, until);
    if (portion.size() == 1) {
      return List.of(starter.start(portion.getFirst()));
    }
    return Tasks.runAll(
        starter.maxConcurrentStarts(),
        portion.stream().<Callable<PacedStart>>map(entry -> () -> starter.start(entry)).toList());
  }
}
