package dev.weir.workflows;

import dev.weir.slots.SlotScheduler;
import io.temporal.client.WorkflowClient;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts Temporal workflows at the times of their slots.
 *
 * <pre>{@code
 * PacedStarter starter = PacedStarter.of(client, SlotSource.of(scheduler));
 * starter.start(
 *     PacedWorkflow.of(Invoice.class, "billing", "invoice-7"), "invoice-7", "bank-api", Instant.now());
 * }</pre>
 *
 * <p>The event id is the workflow id, so starting twice starts once: as long as Temporal keeps the
 * execution, and after that as long as the slot is kept and confirmed. A workflow of another type
 * or task queue that has the id is not taken for it: see {@link PacedStart.IdTaken}. A start delay
 * is a minimum: a worker that was down finds all its workflows due, so a downstream with a hard
 * limit needs its own guard.
 *
 * <p>A start that fails may be repeated, and a crash in between leaves nothing that a repetition
 * does not complete. Thread-safe; callers block and may be virtual threads.
 */
public final class PacedStarter {
  private final WorkflowClient client;
  private final SlotSource slots;
  private final InstantSource clock;
  private final int maxConcurrentStarts;
  private final boolean confirms;
  private final boolean startsConfirmed;
  private final String workflowIdPrefix;

  private PacedStarter(Builder builder) {
    this.client = builder.client;
    this.slots = builder.slots;
    this.clock = builder.clock;
    this.maxConcurrentStarts = builder.maxConcurrentStarts;
    this.confirms = builder.confirms;
    this.startsConfirmed = builder.startsConfirmed;
    this.workflowIdPrefix = builder.workflowIdPrefix;
  }

  /** Returns a starter with the defaults. */
  public static PacedStarter of(WorkflowClient client, SlotSource slots) {
    return builder(client, slots).build();
  }

  /** Returns a starter with the slots of a scheduler, which stays open. */
  public static PacedStarter of(WorkflowClient client, SlotScheduler scheduler) {
    return of(client, SlotSource.of(scheduler));
  }

  public static Builder builder(WorkflowClient client, SlotSource slots) {
    return new Builder(client, slots);
  }

  /** Builds starters. */
  public static final class Builder {
    private static final int DEFAULT_CONCURRENT_STARTS = 16;

    private final WorkflowClient client;
    private final SlotSource slots;
    private InstantSource clock = InstantSource.system();
    private int maxConcurrentStarts = DEFAULT_CONCURRENT_STARTS;
    private boolean confirms = true;
    private boolean startsConfirmed;
    private String workflowIdPrefix = "";

    private Builder(WorkflowClient client, SlotSource slots) {
      this.client = client;
      this.slots = slots;
    }

    /** Sets the clock from which start delays count; that of the system by default. */
    public Builder clock(InstantSource other) {
      this.clock = other;
      return this;
    }

    /** Sets the maximum number of starts of one batch that are in progress; 16 by default. */
    public Builder maxConcurrentStarts(int max) {
      if (max < 1) {
        throw new IllegalArgumentException("maxConcurrentStarts must be at least 1, not " + max);
      }
      this.maxConcurrentStarts = max;
      return this;
    }

    /**
     * Sets whether a slot is confirmed as soon as Temporal has accepted the start; on by default.
     * If it is off, the workflow confirms its slot when its work is done.
     */
    public Builder confirms(boolean other) {
      this.confirms = other;
      return this;
    }

    /**
     * Sets whether a workflow is started although its slot is confirmed; off by default. For
     * workflows that find out on their own whether their work is done.
     */
    public Builder startsConfirmed(boolean other) {
      this.startsConfirmed = other;
      return this;
    }

    /**
     * Sets what comes before the event id in the workflow id; nothing by default. It keeps apart
     * the workflows of those who use the same ids in one namespace of Temporal.
     */
    public Builder workflowIdPrefix(String other) {
      this.workflowIdPrefix = other;
      return this;
    }

    public PacedStarter build() {
      return new PacedStarter(this);
    }
  }

  /**
   * Starts a workflow at the time of the event's slot.
   *
   * @param requestedTime the wanted time; one in the past means now
   * @throws dev.weir.StoreException if the slots are unavailable
   * @throws io.temporal.client.WorkflowException if Temporal refuses the start
   */
  public PacedStart start(
      PacedWorkflow workflow, String eventId, String configName, Instant requestedTime) {
    return start(List.of(new PacedRequest(workflow, eventId, configName, requestedTime)))
        .getFirst();
  }

  /** Starts workflows, with the slots of all of them in one call. */
  public List<PacedStart> start(List<PacedRequest> requests) {
    return assign(requests).start(0, requests.size());
  }

  /**
   * Assigns slots to workflows without starting them, for callers that start them in portions. A
   * crash in between is repaired by assigning and starting the same requests again.
   */
  public PacedBatch assign(List<PacedRequest> requests) {
    Instant now = clock.instant();
    List<SlotSource.PacedSlot> assigned =
        slots.assign(requests.stream().map(request -> request.slotRequest(now)).toList());
    List<PacedBatch.Entry> entries = new ArrayList<>(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      entries.add(new PacedBatch.Entry(requests.get(i), assigned.get(i)));
    }
    return new PacedBatch(this, entries);
  }

  PacedStart start(PacedBatch.Entry entry) {
    return switch (entry.slot()) {
      case SlotSource.PacedSlot.None none -> new PacedStart.NoSlot(none.reason());
      case SlotSource.PacedSlot.Assigned slot ->
          slot.isConfirmed() && !startsConfirmed
              ? new PacedStart.AlreadyStarted(slot.scheduledTime())
              : start(entry.request(), slot.scheduledTime());
    };
  }

  private PacedStart start(PacedRequest request, Instant scheduledTime) {
    PacedStart start =
        DelayedStart.start(
            client,
            request.workflow(),
            workflowIdPrefix + request.eventId(),
            scheduledTime,
            clock.instant());
    if (confirms && !(start instanceof PacedStart.IdTaken)) {
      slots.confirm(request.eventId());
    }
    return start;
  }

  int maxConcurrentStarts() {
    return maxConcurrentStarts;
  }
}
