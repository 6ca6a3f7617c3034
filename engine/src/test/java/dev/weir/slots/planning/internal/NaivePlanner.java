package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.NotBefore;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;

/**
 * The oracle: a straightforward planner for one configuration. It scans the windows one by one from
 * the wanted time, and all places in each.
 */
final class NaivePlanner {
  /** Always open. */
  static final LongPredicate ALWAYS = time -> true;

  private static final int MAX_WINDOWS = 300_000;

  private static final long MINUTE_MICROS = 60_000_000L;

  private final Map<Long, Set<Integer>> taken = new TreeMap<>();
  private SlotPolicy policy;
  private LongPredicate open;

  NaivePlanner(SlotPolicy policy, LongPredicate open) {
    this.policy = policy;
    this.open = open;
  }

  SlotPolicy policy() {
    return policy;
  }

  /** Changes the policy from now on; assigned events stay. */
  void change(SlotPolicy otherTerms, LongPredicate otherOpen) {
    policy = otherTerms;
    open = otherOpen;
  }

  LongPredicate open() {
    return open;
  }

  Map<Long, Set<Integer>> taken() {
    return taken;
  }

  Set<Integer> taken(long start) {
    return taken.getOrDefault(start, Set.of());
  }

  /** Returns the window in the form of the code under test. */
  Window window(long start) {
    Window window = new Window(start);
    taken(start).forEach(window::take);
    return window;
  }

  void take(long start, int place) {
    if (!taken.computeIfAbsent(start, any -> new TreeSet<>()).add(place)) {
      throw new AssertionError("place " + place + " of " + start + " was given twice");
    }
  }

  void release(long start, int place) {
    taken.get(start).remove(place);
  }

  /** Returns the first time at which the event may run. */
  long from(PlacementRequest request) {
    return Math.max(base(request), PolicyTimes.pausedUntilMicros(policy));
  }

  /** Returns the last time at which the event may run. */
  long latest(PlacementRequest request) {
    long base = base(request);
    // Not base + maxDelay, which may overflow.
    return PolicyTimes.maxDelayMicros(policy) > Micros.LATEST - base
        ? Micros.LATEST
        : base + PolicyTimes.maxDelayMicros(policy);
  }

  private long base(PlacementRequest request) {
    return policy.notBefore() == NotBefore.NOW
        ? Math.max(request.requestedMicros(), request.nowMicros())
        : request.requestedMicros();
  }

  /** Returns the correct result of {@link Planner} under {@link Spread#EVEN}; takes the place. */
  Placement placeEvenly(PlacementRequest request) {
    long size = policy.windowMicros();
    long wanted = Math.floorDiv(from(request), size) * size;
    for (long start = wanted; start <= Micros.LATEST; start += size) {
      int place = lowestUsable(start, from(request), latest(request));
      if (place >= 0) {
        take(start, place);
        return new Placement.Placed(start, place, timeOf(start, place), (start - wanted) / size);
      }
      int tooLate = lowestUsable(start, from(request), Micros.LATEST);
      if (tooLate >= 0) {
        return new Placement.NoCapacity(timeOf(start, tooLate));
      }
      bound(start - wanted);
    }
    return new Placement.NoCapacity(TimeSpan.NEVER);
  }

  /** Returns true if any event could still be placed in the window. */
  boolean hasFreePlace(long start) {
    return hasFreePlace(start, Micros.EARLIEST, Micros.LATEST);
  }

  /** The same for an unbounded range of times. */
  boolean hasFreePlaceEver(long start) {
    return hasFreePlace(start, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private boolean hasFreePlace(long start, long from, long latest) {
    return switch (policy.spread()) {
      case EVEN -> lowestUsable(start, from, latest) >= 0;
      case RANDOM -> share(start, from, latest) > taken(start).size();
    };
  }

  private int lowestUsable(long start, long from, long latest) {
    if (taken(start).size() >= policy.maxPerWindow()) {
      return -1;
    }
    for (int place = 0; place < policy.maxPerWindow(); place++) {
      long time = timeOf(start, place);
      if (time >= from && time <= latest && !taken(start).contains(place) && open.test(time)) {
        return place;
      }
    }
    return -1;
  }

  private long timeOf(long start, int place) {
    return start + offsetMicros(place, policy.windowMicros());
  }

  /** Mirrors the bits of {@code place} behind the binary point, one by one. */
  static long offsetMicros(int place, long sizeMicros) {
    long numerator = 0;
    long denominator = 1;
    for (int rest = place; rest > 0; rest >>= 1) {
      numerator = 2 * numerator + rest % 2;
      denominator *= 2;
    }
    return sizeMicros * numerator / denominator;
  }

  /**
   * Returns the window that {@link Planner} must choose under {@link Spread#RANDOM}, or {@link
   * TimeSpan#NEVER} if no place is free.
   */
  long randomWindow(PlacementRequest request) {
    long size = policy.windowMicros();
    long wanted = Math.floorDiv(from(request), size) * size;
    for (long start = wanted; start <= Micros.LATEST; start += size) {
      if (share(start, from(request), latest(request)) > taken(start).size()) {
        return start;
      }
      if (share(start, from(request), Micros.LATEST) > taken(start).size()) {
        return TimeSpan.NEVER;
      }
      bound(start - wanted);
    }
    return TimeSpan.NEVER;
  }

  /** Returns the part of the limit for the open time of the window between two times. */
  long share(long start, long from, long latest) {
    long last = Math.min(latest, start + policy.windowMicros() - 1);
    return openMicros(Math.max(from, start), last) * policy.maxPerWindow() / policy.windowMicros();
  }

  boolean isOpenSomewhereIn(long start) {
    return openMicros(start, start + policy.windowMicros() - 1) > 0;
  }

  /** Minute by minute, because hours change on the minute. */
  private long openMicros(long first, long last) {
    if (open.equals(ALWAYS)) {
      return Math.max(0, last - first + 1);
    }
    long sum = 0;
    long next;
    for (long time = first; time <= last; time = next) {
      next = Math.min(last + 1, (Math.floorDiv(time, MINUTE_MICROS) + 1) * MINUTE_MICROS);
      sum += open.test(time) ? next - time : 0;
    }
    return sum;
  }

  boolean isOpen(long micros) {
    return open.test(micros);
  }

  private void bound(long scannedMicros) {
    if (scannedMicros / policy.windowMicros() > MAX_WINDOWS) {
      throw new AssertionError("no free place in " + MAX_WINDOWS + " windows");
    }
  }
}
