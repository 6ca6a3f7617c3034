package dev.weir.server.verify;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.PolicyTimes;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks that the events of one version got the earliest window, and in it the lowest place, that
 * was available to them.
 *
 * <p>Versions follow each other under the configuration's lock, so only events of this version and
 * of earlier ones can have competed with an event. A place without a trace of any of them was free
 * when the event came. Two kinds of trace are missing: an event that was cancelled and requested
 * again has one row, of its new slot, and slots removed by retention have none. So a free place is
 * conclusive only if neither happened, which the database does not record; otherwise the event is
 * counted as not decidable. A place with a slot that has ended since may or may not have been free.
 *
 * <p>The latest free place before a window decides for all events in the window.
 */
final class EarliestCheck implements SlotCheck {
  private final ConfigFact config;
  private final int version;
  private final SlotPolicy policy;
  private final Vacancy vacancy;
  private final Completeness completeness;
  private final Verdicts verdicts;

  private OneWindow window;

  /** Events of the window that cannot be decided. */
  private final Set<SlotFact> open = new LinkedHashSet<>();

  /** The latest time before the window at which a place was free, or may have been. */
  private long freeMicros = Vacancy.NONE;

  private long perhapsFreeMicros = Vacancy.NONE;

  /** From here to the first window, free places are known. */
  private long searchedFromMicros = Long.MAX_VALUE;

  /**
   * What is known of slots that left no trace.
   *
   * @param fromMicros windows before this are unknown
   * @param isComplete whether every slot that was ever assigned still has its row
   */
  record Completeness(long fromMicros, boolean isComplete) {}

  EarliestCheck(ConfigFact config, int version, Completeness completeness, Verdicts verdicts) {
    this.config = config;
    this.version = version;
    this.policy = config.policy(version);
    this.vacancy = new Vacancy(policy);
    this.completeness = completeness;
    this.verdicts = verdicts;
    this.window = new OneWindow(policy, version, Long.MIN_VALUE);
  }

  @Override
  public void slot(SlotFact slot) {
    long start = policy.windowStart(slot.scheduledMicros());
    if (slot.version() > version || start < completeness.fromMicros()) {
      return;
    }
    if (start != window.startMicros()) {
      endWindow();
      if (searchedFromMicros == Long.MAX_VALUE) {
        searchedFromMicros = start;
      } else {
        free(vacancy.latestInEmpty(window.startMicros() + policy.windowMicros(), start));
      }
      window = new OneWindow(policy, version, start);
    }
    window.add(slot, config.policy(slot.version()).windowMicros() == policy.windowMicros());
  }

  @Override
  public void end() {
    endWindow();
  }

  private void endWindow() {
    List<SlotFact> events = window.judged();
    for (SlotFact event : events) {
      judgeWindow(event);
    }
    if (policy.spread() == Spread.EVEN && window.offGrid() == 0) {
      judgePlaces(events);
    }
    verdicts.judged(events.size(), open);
    open.clear();
    if (!window.isEmpty()) {
      free(window.latestFree(vacancy));
      perhapsFreeMicros = Math.max(perhapsFreeMicros, window.latestPerhapsFree(vacancy));
    }
  }

  private void free(long micros) {
    freeMicros = Math.max(freeMicros, micros);
    perhapsFreeMicros = Math.max(perhapsFreeMicros, micros);
  }

  private void judgeWindow(SlotFact event) {
    long wanted = wanted(event);
    if (wanted < searchedFromMicros) {
      // Before the very first event, every window is empty.
      long from = Math.max(completeness.fromMicros(), policy.windowStart(wanted));
      free(vacancy.latestInEmpty(from, searchedFromMicros));
      searchedFromMicros = from;
    }
    if (freeMicros >= wanted) {
      found(
          event,
          "wanted %s, and %s was free"
              .formatted(Micros.instant(wanted), Micros.instant(freeMicros)));
    } else if (perhapsFreeMicros >= wanted) {
      open.add(event);
    }
  }

  /**
   * Checks events in the order of places: the latest free place below an event decides whether a
   * lower one was usable.
   */
  private void judgePlaces(List<SlotFact> events) {
    BitSet traces = window.traces();
    int place = 0;
    long latestBelow = Vacancy.NONE;
    for (SlotFact event :
        events.stream().sorted(Comparator.comparingInt(SlotFact::place)).toList()) {
      for (; place < event.place(); place++) {
        long time = window.startMicros() + Places.offsetMicros(place, policy.windowMicros());
        if (!traces.get(place) && time > latestBelow && vacancy.isOpen(time)) {
          latestBelow = time;
        }
      }
      if (latestBelow >= wanted(event)) {
        found(
            event,
            "has place %d, and a lower one at %s was free"
                .formatted(event.place(), Micros.instant(latestBelow)));
      }
    }
  }

  private void found(SlotFact event, String what) {
    if (completeness.isComplete()) {
      verdicts.breach(event.in(config) + " " + what);
    } else {
      open.add(event);
    }
  }

  private long wanted(SlotFact slot) {
    return Math.max(slot.wantedMicros(policy), PolicyTimes.pausedUntilMicros(policy));
  }
}
