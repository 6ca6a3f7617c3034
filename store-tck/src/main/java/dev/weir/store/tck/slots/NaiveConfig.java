package dev.weir.store.tck.slots;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.Calendar;
import dev.weir.slots.NotBefore;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.PolicyTimes;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * One configuration of the model: a list of its slots, from which everything else is computed by
 * brute force, window by window and place by place.
 */
final class NaiveConfig {
  /** More windows than any trace can fill or a calendar can close. */
  private static final int MAX_WINDOWS = 1_000_000;

  final List<SlotPolicy> versions = new ArrayList<>();
  final List<Held> slots = new ArrayList<>();

  /** Slots as they ended whose time has passed: their places stay taken. */
  final List<Held> ghosts = new ArrayList<>();

  /**
   * A slot in the model.
   *
   * @param windowMicros size of the window in which it got its place; {@link #NO_PLACE} if it was
   *     adopted with its time
   */
  record Held(Slot slot, long windowMicros) {
    static final long NO_PLACE = 0;

    long micros() {
      return Micros.ceil(slot.scheduledTime());
    }

    boolean isIn(long fromMicros, long untilMicros) {
      return micros() >= fromMicros && micros() < untilMicros;
    }
  }

  /** The requested time of an event, and the current time. */
  record Wanted(long requestedMicros, long nowMicros) {}

  /**
   * The placement of an event.
   *
   * @param micros its time; without meaning for {@link Spread#RANDOM}
   */
  record Spot(long windowStart, int place, long micros, long lookahead, boolean inTime) {}

  NaiveConfig(SlotPolicy policy) {
    versions.add(policy);
  }

  /** Returns a copy to experiment on. */
  NaiveConfig copy() {
    NaiveConfig copy = new NaiveConfig(versions.getFirst());
    copy.versions.addAll(versions.subList(1, versions.size()));
    copy.slots.addAll(slots);
    copy.ghosts.addAll(ghosts);
    return copy;
  }

  SlotPolicy policy() {
    return versions.getLast();
  }

  /** Returns the earliest window with a free place, and the lowest such place in it. */
  Spot find(Wanted wanted) {
    long size = policy().windowMicros();
    long first = Math.floorDiv(from(wanted), size) * size;
    for (int i = 0; i < MAX_WINDOWS; i++) {
      long start = first + i * size;
      int place = lowestPlace(start, from(wanted), latest(wanted));
      boolean inTime = place >= 0;
      if (!inTime) {
        place = lowestPlace(start, from(wanted), Long.MAX_VALUE);
      }
      if (place >= 0) {
        return new Spot(start, place, start + Places.offsetMicros(place, size), i, inTime);
      }
    }
    throw new AssertionError("no free place in " + MAX_WINDOWS + " windows");
  }

  /** Returns the earliest time at which an event may run. */
  long from(Wanted wanted) {
    return Math.max(base(wanted), PolicyTimes.pausedUntilMicros(policy()));
  }

  /** Returns the latest time at which an event may run. */
  long latest(Wanted wanted) {
    return PolicyTimes.maxDelayMicros(policy()) == PolicyTimes.UNBOUNDED
        ? Long.MAX_VALUE
        : base(wanted) + PolicyTimes.maxDelayMicros(policy());
  }

  private long base(Wanted wanted) {
    return policy().notBefore() == NotBefore.NOW
        ? Math.max(wanted.requestedMicros(), wanted.nowMicros())
        : wanted.requestedMicros();
  }

  private int lowestPlace(long start, long from, long latest) {
    Set<Integer> taken = taken(start);
    int max = policy().maxPerWindow();
    if (taken.size() >= max
        || (policy().spread() == Spread.RANDOM && share(start, from, latest) <= taken.size())) {
      return -1;
    }
    for (int place = 0; place < max; place++) {
      long time = start + Places.offsetMicros(place, policy().windowMicros());
      boolean usable =
          policy().spread() == Spread.RANDOM || (time >= from && time <= latest && isOpen(time));
      if (usable && !taken.contains(place)) {
        return place;
      }
    }
    return -1;
  }

  /** Returns the taken places of a window. Slots of windows of another size are between them. */
  Set<Integer> taken(long start) {
    long size = policy().windowMicros();
    List<Held> inside =
        Stream.concat(slots.stream(), ghosts.stream())
            .filter(held -> held.slot().state().holds() && held.isIn(start, start + size))
            .toList();
    Set<Integer> taken = new TreeSet<>();
    inside.stream()
        .filter(held -> held.windowMicros() == size)
        .forEach(held -> taken.add(held.slot().place()));
    inside.stream()
        .filter(held -> held.windowMicros() != size)
        .sorted(Comparator.comparingLong(Held::micros))
        .forEach(held -> taken.add(nearestFree(taken, held.micros() - start)));
    return taken;
  }

  /** Returns the number of places of a window that are open, taken or not. */
  int places(long start) {
    if (policy().spread() == Spread.RANDOM) {
      return (int) share(start, Long.MIN_VALUE, Long.MAX_VALUE);
    }
    int open = 0;
    for (int place = 0; place < policy().maxPerWindow(); place++) {
      open += isOpen(start + Places.offsetMicros(place, policy().windowMicros())) ? 1 : 0;
    }
    return open;
  }

  long windowStart(long micros) {
    return Math.floorDiv(micros, policy().windowMicros()) * policy().windowMicros();
  }

  boolean hasNoGhostAt(long micros) {
    long start = windowStart(micros);
    return ghosts.stream().noneMatch(held -> held.isIn(start, start + policy().windowMicros()));
  }

  /** Returns the nearest free place, the earlier of two; above the limit if none is free. */
  private int nearestFree(Set<Integer> taken, long offset) {
    int max = policy().maxPerWindow();
    long cells = 1;
    while (cells < max) {
      cells *= 2;
    }
    long wanted = offset * cells / policy().windowMicros();
    int nearest = -1;
    long best = Long.MAX_VALUE;
    for (int place = 0; place < max; place++) {
      long cell = Places.offsetMicros(place, cells);
      long distance = 2 * Math.abs(cell - wanted) + (cell > wanted ? 1 : 0);
      if (!taken.contains(place) && distance < best) {
        nearest = place;
        best = distance;
      }
    }
    while (nearest < 0 || taken.contains(nearest)) {
      nearest = Math.max(nearest + 1, max);
    }
    return nearest;
  }

  /** Returns the share of the limit for the open time of a window between two times. */
  private long share(long start, long from, long latest) {
    long end = Math.min(start + policy().windowMicros() - 1, latest);
    long open = 0;
    long next;
    for (long time = Math.max(start, from); time <= end; time = next) {
      // Opening hours begin and end on whole seconds.
      next = Math.min(end + 1, (Math.floorDiv(time, Micros.PER_SECOND) + 1) * Micros.PER_SECOND);
      open += isOpen(time) ? next - time : 0;
    }
    return open * policy().maxPerWindow() / policy().windowMicros();
  }

  boolean isOpen(long micros) {
    return switch (policy().calendar()) {
      case Calendar.Always always -> true;
      case OpeningHours hours -> {
        ZonedDateTime time =
            Instant.ofEpochSecond(Math.floorDiv(micros, Micros.PER_SECOND)).atZone(hours.zone());
        int second = time.toLocalTime().toSecondOfDay();
        yield !hours.closedDates().contains(time.toLocalDate())
            && hours.week().getOrDefault(time.getDayOfWeek(), List.of()).stream()
                .anyMatch(open -> second >= open.fromSecond() && second < open.untilSecond());
      }
    };
  }

  void add(Slot slot) {
    slots.removeIf(held -> held.slot().eventId().equals(slot.eventId()));
    slots.add(new Held(slot, policy().windowMicros()));
  }

  /** Ends a slot; its place becomes free if its time is in the future or the past is kept. */
  void end(Held held, Slot ended, long nowMicros) {
    boolean free = policy().notBefore() == NotBefore.REQUESTED || held.micros() > nowMicros;
    long size = policy().windowMicros();
    long start = Math.floorDiv(held.micros(), size) * size;
    boolean mixed =
        Stream.concat(slots.stream(), ghosts.stream())
            .filter(other -> other.slot().state().holds() && other.isIn(start, start + size))
            .anyMatch(other -> other.windowMicros() != size);
    slots.remove(held);
    slots.add(new Held(ended, held.windowMicros()));
    if (!free) {
      ghosts.add(held);
    } else if (mixed) {
      // The window is rebuilt from its slots.
      ghosts.removeIf(ghost -> ghost.isIn(start, start + size));
    }
  }

  void change(SlotPolicy policy) {
    boolean sameWindows = policy.hasSameWindowsAs(policy());
    versions.add(policy);
    if (!sameWindows) {
      ghosts.clear();
    }
  }

  /** Removes the slots before a time. */
  void removeBefore(long micros) {
    slots.removeIf(held -> held.micros() < micros);
    ghosts.removeIf(held -> held.micros() < micros);
  }
}
