package dev.weir.payments.workflows;

import dev.weir.slots.SlotRequest;
import dev.weir.workflows.SlotSource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Slots that were requested for the times of their payments. An event has one slot, whoever was the
 * first to ask for it: one that others requested for another time would have the payment made much
 * too early or too late. Thread-safe.
 */
final class OwnSlots implements SlotSource {
  /** The clocks of the stores of payments and of slots may differ by so much. */
  private static final Duration MAX_DIFFERENCE = Duration.ofMinutes(1);

  private final SlotSource slots;
  private final InstantSource clock;

  /**
   * @param clock the time that all nodes share: one node with a wrong clock must not reject
   *     payments
   */
  OwnSlots(SlotSource slots, InstantSource clock) {
    this.slots = slots;
    this.clock = clock;
  }

  @Override
  public List<PacedSlot> assign(List<SlotRequest> requests) {
    List<PacedSlot> assigned = slots.assign(requests);
    Instant now = clock.instant();
    List<PacedSlot> own = new ArrayList<>(assigned.size());
    for (int i = 0; i < assigned.size(); i++) {
      own.add(own(requests.get(i).requestedTime(), assigned.get(i), now));
    }
    return own;
  }

  /** An earlier request of a payment that is due was for a time that has passed. */
  private static PacedSlot own(Optional<Instant> wanted, PacedSlot slot, Instant now) {
    if (!(slot instanceof PacedSlot.Assigned assigned)) {
      return slot;
    }
    Instant requested = assigned.requestedTime();
    boolean isOther =
        requested.isAfter(wanted.orElse(now).plus(MAX_DIFFERENCE))
            || wanted.filter(time -> requested.isBefore(time.minus(MAX_DIFFERENCE))).isPresent();
    return isOther
        ? new PacedSlot.None(
            "paymentId is the event id of a slot that was requested for " + requested)
        : slot;
  }

  @Override
  public Optional<Instant> confirm(String eventId) {
    return slots.confirm(eventId);
  }

  @Override
  public void cancel(String eventId) {
    slots.cancel(eventId);
  }
}
