package dev.weir.workflows;

import dev.weir.slots.Assignment;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotState;
import dev.weir.slots.Transition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Where slots come from: a {@link SlotScheduler} in this process, or a {@linkplain RemoteSlots Weir
 * server}. Every method may be repeated, and throws {@link dev.weir.StoreException} if the source
 * fails. Implementations are thread-safe.
 */
public interface SlotSource {
  /** Assigns each event its slot, in order, and returns one result for each. */
  List<PacedSlot> assign(List<SlotRequest> requests);

  /**
   * Records that the work of an event has started. Returns the time of its slot; empty, without an
   * effect, if it holds none: it never had one, or it was cancelled, taken back or removed.
   */
  Optional<Instant> confirm(String eventId);

  /** Cancels the slot of an event, unless it is confirmed. */
  void cancel(String eventId);

  /** The result of a request for a slot. */
  sealed interface PacedSlot {
    /**
     * The event has a slot.
     *
     * @param requestedTime the time that was wanted when the slot was assigned, perhaps by an
     *     earlier request for another time
     * @param isConfirmed whether its work has started already
     */
    record Assigned(Instant requestedTime, Instant scheduledTime, boolean isConfirmed)
        implements PacedSlot {}

    /** There is no slot for the event. */
    record None(String reason) implements PacedSlot {}
  }

  /** Returns the slots of a scheduler, which stays open. */
  static SlotSource of(SlotScheduler scheduler) {
    return new SlotSource() {
      @Override
      public List<PacedSlot> assign(List<SlotRequest> requests) {
        return scheduler.assign(requests).stream().map(SlotSource::slot).toList();
      }

      @Override
      public Optional<Instant> confirm(String eventId) {
        return switch (scheduler.confirm(eventId)) {
          case Transition.Done done -> Optional.of(done.slot().scheduledTime());
          case Transition.Conflict conflict -> Optional.empty();
          case Transition.Unknown unknown -> Optional.empty();
        };
      }

      @Override
      public void cancel(String eventId) {
        scheduler.cancel(eventId);
      }
    };
  }

  private static PacedSlot slot(Assignment assignment) {
    return switch (assignment) {
      case Assignment.Assigned assigned ->
          new PacedSlot.Assigned(
              assigned.slot().requestedTime(),
              assigned.slot().scheduledTime(),
              assigned.slot().state() == SlotState.CONFIRMED);
      case Assignment.NoCapacity noCapacity ->
          new PacedSlot.None(
              "configuration %s has no free place within its max delay"
                  .formatted(noCapacity.request().configName()));
      case Assignment.UnknownConfig unknown ->
          new PacedSlot.None("there is no configuration " + unknown.request().configName());
    };
  }
}
