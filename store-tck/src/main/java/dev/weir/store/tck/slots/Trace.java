package dev.weir.store.tck.slots;

import dev.weir.slots.Overfull;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotState;
import java.time.Duration;
import java.util.List;

/**
 * A generated sequence of steps on two configurations of a store. Times are microseconds after
 * {@link Scene#NOON}, configurations are 0 and 1, events are small numbers, so that everything
 * collides.
 */
public record Trace(List<SlotPolicy> policies, List<Step> steps) {

  /** One step; {@code node} is the node that executes it. */
  sealed interface Step {
    record Assign(int node, List<EventRequest> requests) implements Step {}

    record Adopt(int node, int config, List<TimedEvent> events, Overfull overfull)
        implements Step {}

    record Cancel(int node, int event) implements Step {}

    record Confirm(int node, int event) implements Step {}

    record Configure(int node, int config, SlotPolicy policy) implements Step {}

    record MoveClock(Duration by) implements Step {}

    /** Reclaims slots that were due and assigned {@code before} now. */
    record Reclaim(int node, Duration before) implements Step {}

    /** Removes slots that were scheduled and assigned {@code before} now. */
    record RemovePast(int node, Duration before) implements Step {}

    record ListSlots(
        int node,
        int config,
        long fromMicros,
        long untilMicros,
        SlotQuery.Filter filter,
        int pageSize)
        implements Step {}

    record CountWindows(int node, int config, long fromMicros, long untilMicros) implements Step {}

    record Predict(int node, int config, long fromMicros, int events) implements Step {}
  }

  /**
   * A request for a slot.
   *
   * @param requestedMicros {@link #NOW} to omit it
   * @param stale whether the node still uses the first version of the configuration
   */
  record EventRequest(int event, int config, long requestedMicros, boolean stale) {
    static final long NOW = Long.MIN_VALUE;
  }

  /** An event that another system has given its time. */
  record TimedEvent(int event, long scheduledMicros, SlotState state) {}
}
