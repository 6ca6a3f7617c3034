package dev.weir.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.AdoptRequest;
import dev.weir.slots.Adoption;
import dev.weir.slots.Overfull;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.planning.internal.Page;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The plan that a ledger makes for events to adopt, between locking and writing. It only decides
 * which of them are taken over: their windows are then rebuilt from the slots in them, as after a
 * change of their size. Implemented once, so that ledgers cannot disagree.
 *
 * @param results one for each request, in order; to be ignored while windows are uncounted
 * @param fresh the new slots
 * @param uncounted the starts of windows that have to be counted first; then nothing is written
 */
public record AdoptionPlan(List<Adoption> results, List<Slot> fresh, SortedSet<Long> uncounted) {

  /**
   * Plans the adoption of events in one configuration.
   *
   * @param known the current or former slots of the events, by event id
   */
  public static AdoptionPlan of(
      List<AdoptRequest> requests,
      Map<String, Slot> known,
      LockedWindows windows,
      Overfull overfull,
      Instant now) {
    Planning planning = new Planning(known, windows, overfull, now);
    List<Adoption> results = new ArrayList<>(requests.size());
    for (AdoptRequest request : requests) {
      planning.result(request).ifPresent(results::add);
    }
    return new AdoptionPlan(results, planning.fresh, planning.uncounted);
  }

  /** Returns the plan for a configuration that does not exist. */
  public static AdoptionPlan withoutConfig(List<AdoptRequest> requests) {
    return new AdoptionPlan(
        requests.stream().<Adoption>map(Adoption.UnknownConfig::new).toList(),
        List.of(),
        new TreeSet<>());
  }

  /** Returns the starts of the windows that get new slots, in order. */
  public SortedSet<Long> changedWindows() {
    SortedSet<Long> starts = new TreeSet<>();
    fresh.forEach(slot -> starts.add(Micros.ceil(slot.windowStart())));
    return starts;
  }

  private static final class Planning {
    private final Map<String, Slot> known;
    private final LockedWindows windows;
    private final Overfull overfull;
    private final Instant now;
    private final List<Slot> fresh = new ArrayList<>();
    private final Map<String, Slot> freshById = new HashMap<>();
    private final SortedSet<Long> uncounted = new TreeSet<>();

    /** By start, how many more events fit into a window; negative if more were accepted. */
    private final Map<Long, Integer> vacancies = new HashMap<>();

    Planning(Map<String, Slot> known, LockedWindows windows, Overfull overfull, Instant now) {
      this.known = known;
      this.windows = windows;
      this.overfull = overfull;
      this.now = now;
    }

    /** Returns the result for the next event; empty if its window is uncounted. */
    Optional<Adoption> result(AdoptRequest request) {
      Slot before = freshById.get(request.eventId());
      if (before == null) {
        before = known.get(request.eventId());
      }
      if (before != null) {
        return Optional.of(
            isSame(before, request)
                ? new Adoption.Repeated(before)
                : new Adoption.Conflict(request, before));
      }
      SlotPolicy policy = windows.config().policy();
      long start = policy.windowStart(Micros.ceil(request.scheduledTime()));
      OptionalInt free = vacancies(start);
      if (free.isEmpty()) {
        uncounted.add(start);
        return Optional.empty();
      }
      if (free.getAsInt() <= 0 && overfull == Overfull.REFUSE) {
        return Optional.of(
            new Adoption.Full(request, Micros.instant(start), windows.view().places(start)));
      }
      vacancies.put(start, free.getAsInt() - 1);
      return Optional.of(
          adopted(request, start, free.getAsInt() > 0 ? Slot.ADOPTED : Slot.ADOPTED_OVERFULL));
    }

    private boolean isSame(Slot slot, AdoptRequest request) {
      return slot.configName().equals(windows.config().name())
          && Micros.ceil(slot.scheduledTime()) == Micros.ceil(request.scheduledTime());
    }

    private OptionalInt vacancies(long start) {
      Integer left = vacancies.get(start);
      if (left != null) {
        return OptionalInt.of(left);
      }
      OptionalInt found = windows.view().vacancies(start);
      if (found.isEmpty()) {
        windows.trim();
        Optional<Page> page = windows.page(start);
        page.ifPresent(windows.view()::add);
        found = windows.view().vacancies(start);
      }
      found.ifPresent(free -> vacancies.put(start, free));
      return found;
    }

    private Adoption adopted(AdoptRequest request, long start, int place) {
      Instant scheduled = Micros.instant(Micros.ceil(request.scheduledTime()));
      Slot slot =
          new Slot(
              request.eventId(),
              windows.config().name(),
              windows.config().version(),
              request.requestedTime().map(Micros::ceil).map(Micros::instant).orElse(scheduled),
              Micros.instant(start),
              place,
              scheduled,
              request.state(),
              now);
      fresh.add(slot);
      freshById.put(slot.eventId(), slot);
      return new Adoption.Adopted(slot);
    }
  }
}
