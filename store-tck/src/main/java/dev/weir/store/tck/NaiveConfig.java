package dev.weir.store.tck;

import dev.weir.core.Micros;
import dev.weir.core.slots.Calendar;
import dev.weir.core.slots.NotBefore;
import dev.weir.core.slots.OpeningHours;
import dev.weir.core.slots.Places;
import dev.weir.core.slots.Spread;
import dev.weir.core.slots.Terms;
import dev.weir.engine.slots.Slot;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * One configuration of the model: a list of its slots, and everything else found by looking at all
 * of them, window by window and place by place.
 */
final class NaiveConfig {
  /** More windows than any trace can fill or a calendar can close. */
  private static final int MOST_WINDOWS = 1_000_000;

  final List<Terms> versions = new ArrayList<>();
  final List<Held> slots = new ArrayList<>();

  /** Slots as they were when they ended, where the past is over: their places stay taken. */
  final List<Held> ghosts = new ArrayList<>();

  /**
   * A slot in the model.
   *
   * @param windowMicros the size of the window in which it was given its place
   */
  record Held(Slot slot, long windowMicros) {
    long micros() {
      return Micros.ceil(slot.scheduledTime());
    }

    boolean isIn(long fromMicros, long untilMicros) {
      return micros() >= fromMicros && micros() < untilMicros;
    }
  }

  /** What an event that asks now may get. */
  record Wanted(long requestedMicros, long nowMicros) {}

  /**
   * Where an event goes.
   *
   * @param micros its time; of no meaning under {@link Spread#RANDOM}
   */
  record Spot(long windowStart, int place, long micros, long lookahead, boolean inTime) {}

  NaiveConfig(Terms terms) {
    versions.add(terms);
  }

  /** A configuration to try things on. */
  NaiveConfig copy() {
    NaiveConfig copy = new NaiveConfig(versions.getFirst());
    copy.versions.addAll(versions.subList(1, versions.size()));
    copy.slots.addAll(slots);
    copy.ghosts.addAll(ghosts);
    return copy;
  }

  Terms terms() {
    return versions.getLast();
  }

  /** The earliest window with a free place, and the lowest such place in it. */
  Spot find(Wanted wanted) {
    long size = terms().windowMicros();
    long first = Math.floorDiv(from(wanted), size) * size;
    for (int i = 0; i < MOST_WINDOWS; i++) {
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
    throw new AssertionError("no free place in " + MOST_WINDOWS + " windows");
  }

  /** The first time at which it may run. */
  long from(Wanted wanted) {
    return Math.max(base(wanted), terms().pausedUntilMicros());
  }

  /** The last time at which it may run. */
  long latest(Wanted wanted) {
    return terms().maxDelayMicros() == Terms.UNBOUNDED
        ? Long.MAX_VALUE
        : base(wanted) + terms().maxDelayMicros();
  }

  private long base(Wanted wanted) {
    return terms().notBefore() == NotBefore.NOW
        ? Math.max(wanted.requestedMicros(), wanted.nowMicros())
        : wanted.requestedMicros();
  }

  private int lowestPlace(long start, long from, long latest) {
    Set<Integer> taken = taken(start);
    int max = terms().maxPerWindow();
    if (taken.size() >= max
        || (terms().spread() == Spread.RANDOM && share(start, from, latest) <= taken.size())) {
      return -1;
    }
    for (int place = 0; place < max; place++) {
      long time = start + Places.offsetMicros(place, terms().windowMicros());
      boolean usable =
          terms().spread() == Spread.RANDOM || (time >= from && time <= latest && isOpen(time));
      if (usable && !taken.contains(place)) {
        return place;
      }
    }
    return -1;
  }

  /** The places that are taken in a window. Slots from windows of another size lie between them. */
  Set<Integer> taken(long start) {
    long size = terms().windowMicros();
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

  /** The free place whose cell is nearest; of two the earlier; above the limit if none is free. */
  private int nearestFree(Set<Integer> taken, long offset) {
    int max = terms().maxPerWindow();
    long cells = 1;
    while (cells < max) {
      cells *= 2;
    }
    long wanted = offset * cells / terms().windowMicros();
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

  /** The part of the limit that falls to the open time of a window from one time to another. */
  private long share(long start, long from, long latest) {
    long end = Math.min(start + terms().windowMicros() - 1, latest);
    long open = 0;
    long next;
    for (long time = Math.max(start, from); time <= end; time = next) {
      // Hours begin and end on the second.
      next = Math.min(end + 1, (Math.floorDiv(time, Micros.PER_SECOND) + 1) * Micros.PER_SECOND);
      open += isOpen(time) ? next - time : 0;
    }
    return open * terms().maxPerWindow() / terms().windowMicros();
  }

  boolean isOpen(long micros) {
    return switch (terms().calendar()) {
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
    slots.add(new Held(slot, terms().windowMicros()));
  }

  /** Ends a slot; its place is free again if its time is ahead or the past is kept. */
  void end(Held held, Slot ended, long nowMicros) {
    boolean free = terms().notBefore() == NotBefore.REQUESTED || held.micros() > nowMicros;
    long size = terms().windowMicros();
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
      // The window is built anew from its slots.
      ghosts.removeIf(ghost -> ghost.isIn(start, start + size));
    }
  }

  void change(Terms terms) {
    boolean sameRoom = terms.sameRoomAs(terms());
    versions.add(terms);
    if (!sameRoom) {
      ghosts.clear();
    }
  }

  /** Removes what lies before a time. */
  void removeBefore(long micros) {
    slots.removeIf(held -> held.micros() < micros);
    ghosts.removeIf(held -> held.micros() < micros);
  }
}
