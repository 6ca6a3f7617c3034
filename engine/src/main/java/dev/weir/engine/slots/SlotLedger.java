package dev.weir.engine.slots;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The port to where slots are kept. Every method is one atomic step and throws {@link
 * dev.weir.engine.StoreException} if the store fails, which says whether anything may have been
 * done.
 *
 * <p>Thread-safe. Several ledgers, in several processes, may stand on one store.
 */
public interface SlotLedger {
  /**
   * Gives each demand its slot, in order. An event that has one keeps it. The configurations in
   * force count, not the ones that the demands carry.
   *
   * <p>The first demand for a time before a change of its configuration may have to wait until the
   * windows there are counted, which takes time with the events that they hold. Those before it in
   * the list have their slots by then, also if it fails.
   */
  List<Assignment> assign(List<AssignRequest> demands);

  /** How many of the first of some demands, at least one, it can take together. */
  default int fitting(List<AssignRequest> demands) {
    return demands.size();
  }

  /**
   * Like {@link #assign}, but answers what can be answered without waiting and does nothing for the
   * rest. Demands of one configuration that ask for the same time are answered in order: none after
   * one that is deferred.
   */
  default List<? extends AssignReply> attempt(List<AssignRequest> demands, WaitMode patience) {
    return assign(demands);
  }

  Optional<Slot> find(String eventId);

  /** Notes that the work of an event was really started. */
  Transition confirm(String eventId);

  /**
   * Takes a slot back. Its place is free again if its time is still ahead or its configuration
   * keeps past times.
   */
  Transition cancel(String eventId);

  /** The slots that a query names, by scheduled time and then by event id. */
  List<Slot> list(SlotQuery query);

  /** The windows that hold events, by start. */
  List<WindowCount> windows(WindowQuery query);

  /** When further events would be through. Assigns nothing. */
  ForecastResult forecast(SlotConfig config, Instant from, long events);

  /** The store's clock. */
  Instant now();
}
