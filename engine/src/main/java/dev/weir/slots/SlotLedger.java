package dev.weir.slots;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A store of slots. Every method is one atomic step and throws {@link dev.weir.StoreException} if
 * the store fails, which says whether anything may have been done.
 *
 * <p>Implementations are thread-safe. Several ledgers, in several processes, may use one store.
 */
public interface SlotLedger {
  /**
   * Assigns each request its slot, in order. An event that has a slot keeps it. The current
   * configurations apply, not the ones that the requests carry.
   *
   * <p>The first request for a time before a change of its configuration may have to wait until the
   * windows there are counted, which takes time in proportion to the events that they hold. The
   * requests before it in the list have their slots by then, even if it fails.
   */
  List<Assignment> assign(List<AssignRequest> requests);

  /** Returns how many of the first requests, at least one, it can process together. */
  default int batchSize(List<AssignRequest> requests) {
    return requests.size();
  }

  /**
   * Like {@link #assign}, but only processes the requests that need no more waiting than {@code
   * waitMode} allows and does nothing for the rest. Requests of one configuration for the same time
   * are processed in order: none after one that is deferred.
   */
  default List<? extends AssignReply> attempt(List<AssignRequest> requests, WaitMode waitMode) {
    return assign(requests);
  }

  /**
   * Takes over events with the times that another system has given them. Each counts in the window
   * of its time, which then has one place less. What is known of an event already is never changed.
   *
   * <p>The windows of a time before a change of the configuration may have to be counted first, as
   * in {@link #assign}.
   *
   * @return a result for each event, in order
   */
  List<Adoption> adopt(String configName, List<AdoptRequest> requests, Overfull overfull);

  Optional<Slot> find(String eventId);

  /** Records that the work of an event has actually started. */
  Transition confirm(String eventId);

  /**
   * Cancels a slot. Its place becomes free if its time is in the future or its configuration keeps
   * past times.
   */
  Transition cancel(String eventId);

  /** Returns the slots that match a query, ordered by scheduled time and then by event id. */
  List<Slot> list(SlotQuery query);

  /** Returns the windows that hold events, ordered by start. */
  List<WindowCount> windows(WindowQuery query);

  /** Calculates when further events would be completed. Assigns nothing. */
  ForecastResult forecast(SlotConfig config, Instant from, long events);

  /** Returns the time of the store's clock. */
  Instant now();
}
