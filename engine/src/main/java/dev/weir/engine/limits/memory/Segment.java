package dev.weir.engine.limits.memory;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A part of a {@link UsageTable}: places in one array of longs, found by open addressing with
 * linear probing.
 *
 * <p>A key that is there is found and held ({@link #hold}) without a lock. Whoever adds or removes
 * keys, moves them or changes terms has the lock, and besides holds each place that is changed. So
 * a place that is held stays where it is, and an array of which somebody holds a place stays the
 * current one. A key that is not found without the lock may have been on the move: with it, it is
 * certain.
 */
final class Segment {
  /** What {@link #find} finds if the key is not there. */
  static final int ABSENT = -1;

  private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

  // Read by all who come this way, and seldom written.
  private volatile long[] places;

  /**
   * The length of the current array, kept beside it: to ask the array itself would be to wait for
   * one more line of the cache before a key's place is known. Without the lock it may be that of
   * another array: then the search begins at a wrong place, and finds the key or nothing.
   */
  private int length;

  private final LimitInterner terms = new LimitInterner(EntryLayout.MOST_TERMS);
  private final int longsPerPlace;
  private final int segmentBits;

  private final SpinLock lock = new SpinLock();
  private final long order;
  private final AtomicLong total;
  private int count;
  private int sweptUpTo;

  /**
   * @param segmentBits so many bits of a hash have been used to find this segment
   * @param index its place among the segments of its table
   * @param none an array with one place, which is free
   * @param total counts the keys of all segments
   */
  Segment(int longsPerPlace, int segmentBits, int index, long[] none, AtomicLong total) {
    this.order = ((long) longsPerPlace << Integer.SIZE) | index;
    this.longsPerPlace = longsPerPlace;
    this.segmentBits = segmentBits;
    this.places = none;
    this.length = none.length;
    this.total = total;
  }

  /** A number that no other segment of the store has: whoever locks several goes by it. */
  long order() {
    return order;
  }

  boolean tryLock() {
    return lock.tryLock();
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  // Without the lock.

  /** The array that is current as long as the caller has the lock or holds a place of it. */
  long[] places() {
    return places;
  }

  /**
   * Finds and holds the place of a key that was written under the terms of this limit. If there is
   * none, or there might be, or somebody holds it for long, this is {@link #ABSENT}, and the caller
   * has to take the lock.
   */
  int hold(long[] places, long first, long second, Limit limit) {
    int place = home(length, first);
    if (place >= places.length) {
      return ABSENT;
    }
    // Among few keys it is nearly always there. To look first would fetch its line of the cache
    // from another processor twice, once to read and once to write.
    if (!hasFewPlaces(places) || !EntryLayout.tryHold(places, place, first, second)) {
      place = findAndHold(places, place, first, second);
      if (place == ABSENT) {
        return ABSENT;
      }
    }
    // Terms that a place has do not change as long as it is held.
    if (terms.isSame(EntryLayout.terms(places, place), limit)) {
      return place;
    }
    EntryLayout.letGo(places, place);
    return ABSENT;
  }

  private boolean hasFewPlaces(long[] places) {
    return places.length <= UsageTable.FEWEST_PLACES * longsPerPlace;
  }

  private int findAndHold(long[] places, int home, long first, long second) {
    int place = find(places, home, first, second);
    for (int tries = 0; place != ABSENT; tries++) {
      if (EntryLayout.tryHold(places, place, first, second)) {
        return place;
      }
      if (!EntryLayout.isOf(places, place, first, second) || !SpinLock.isWorthSpinning(tries)) {
        return ABSENT;
      }
      SpinLock.awaitNextTry(tries);
    }
    return ABSENT;
  }

  /** Bits that decide where a key belongs. Linear probing needs more disorder than a hash has. */
  static long spread(long first) {
    // Without the lowest bit, which places do not have at hand.
    long mixed = (first >>> 1 ^ (first >>> 32)) * ODD;
    return mixed ^ (mixed >>> 29);
  }

  private int find(long[] places, int home, long first, long second) {
    int place = home;
    while (!EntryLayout.isOf(places, place, first, second)) {
      if (EntryLayout.isFree(places, place)) {
        return ABSENT;
      }
      place = next(places, place);
    }
    return place;
  }

  private int home(int length, long first) {
    // Of a place that is moved only what is stored is known.
    long spread = spread(EntryLayout.stored(first));
    int at = (int) Math.unsignedMultiplyHigh(spread << segmentBits, length);
    return longsPerPlace == EntryLayout.LONGS_WITHOUT_BEFORE
        ? at & -EntryLayout.LONGS_WITHOUT_BEFORE
        : at - at % EntryLayout.LONGS_WITH_BEFORE;
  }

  private int next(long[] places, int place) {
    int next = place + longsPerPlace;
    return next == places.length ? 0 : next;
  }

  // With the lock.

  /** The place of a key, or {@link #ABSENT}. */
  int find(long first, long second) {
    return find(places, home(length, first), first, second);
  }

  /** Decides for a key that may be there or not. The caller holds no place. */
  Decision decide(
      Limit limit, long cost, long nowMicros, long first, long second, UsageTable table) {
    int place = find(first, second);
    if (place == ABSENT) {
      Limit.Step step = limit.decide(Usage.NONE, cost, nowMicros);
      table.requireRoom(1, List.of(this), nowMicros);
      add(first, second, limit, step.next(), nowMicros);
      return step.decision();
    }
    EntryLayout.hold(places, place);
    try {
      Limit.Step step = limit.decide(usage(place), cost, nowMicros);
      if (step.decision().isAllowed()) {
        write(place, limit, step.next());
      }
      return step.decision();
    } finally {
      EntryLayout.letGo(places, place);
    }
  }

  /** What was last written at a place that the caller holds, nothing if {@link #ABSENT}. */
  Usage usage(int place) {
    if (place == ABSENT) {
      return Usage.NONE;
    }
    long[] current = places;
    return new Usage(
        EntryLayout.atMicros(current, place),
        EntryLayout.used(current, place),
        longsPerPlace == EntryLayout.LONGS_WITH_BEFORE ? EntryLayout.before(current, place) : 0,
        terms.scale(EntryLayout.terms(current, place)));
  }

  /** Replaces what is used at a place that the caller holds. */
  void write(int place, Limit limit, Usage usage) {
    long[] current = places;
    int number = EntryLayout.terms(current, place);
    if (!terms.isSame(number, limit)) {
      EntryLayout.writeTerms(current, place, terms.exchange(number, limit));
    }
    write(current, place, usage);
  }

  private void write(long[] array, int place, Usage usage) {
    EntryLayout.write(array, place, usage.atMicros(), usage.used());
    if (longsPerPlace == EntryLayout.LONGS_WITH_BEFORE) {
      EntryLayout.writeBefore(array, place, usage.before());
    }
  }

  /** Adds a key that is {@link #ABSENT}. The caller holds no place. */
  void add(long first, long second, Limit limit, Usage usage, long nowMicros) {
    if (isCrowded(count + 1)) {
      rebuild(nowMicros);
    }
    long[] current = places;
    int number = terms.add(limit);
    int place = home(length, first);
    while (!EntryLayout.isFree(current, place)) {
      place = next(current, place);
    }
    EntryLayout.prepare(current, place, first, second);
    EntryLayout.writeTerms(current, place, number);
    write(current, place, usage);
    EntryLayout.give(current, place, first);
    count++;
    total.getAndIncrement();
  }

  /** Forgets the key that has a place. */
  void remove(int place) {
    EntryLayout.hold(places, place);
    vacate(place);
    total.getAndDecrement();
  }

  /** Frees a held place. Those behind it that would not be found any more move up. */
  private void vacate(int place) {
    long[] current = places;
    terms.remove(EntryLayout.terms(current, place));
    count--;
    int hole = place;
    int next = next(current, hole);
    while (!EntryLayout.isFree(current, next)) {
      int home = home(length, EntryLayout.first(current, next));
      boolean staysReachable =
          hole < next ? hole < home && home <= next : hole < home || home <= next;
      if (!staysReachable) {
        EntryLayout.hold(current, next);
        EntryLayout.copy(current, next, current, hole, longsPerPlace);
        EntryLayout.give(current, hole, EntryLayout.first(current, next));
        hole = next;
      }
      next = next(current, next);
    }
    EntryLayout.free(current, hole);
  }

  // Sweeping and growing, with the lock.

  /** Frees what is idle among the next so many places. The caller holds no place. */
  void sweep(int most, long nowMicros) {
    freeIdle(most, nowMicros);
    if (capacity() > 2 * UsageTable.FEWEST_PLACES && count < capacity() / 3) {
      rebuild(nowMicros);
    }
  }

  private void freeIdle(int most, long nowMicros) {
    long[] current = places;
    int end = Math.min(most, capacity());
    for (int looked = 0; looked < end; looked++) {
      if (sweptUpTo >= current.length) {
        sweptUpTo = 0;
      }
      // What moves up into a hole is looked at, too.
      while (!EntryLayout.isFree(current, sweptUpTo) && isIdle(current, sweptUpTo, nowMicros)) {
        remove(sweptUpTo);
      }
      sweptUpTo += longsPerPlace;
    }
  }

  private int capacity() {
    return places.length / longsPerPlace;
  }

  private boolean isIdle(long[] array, int place, long nowMicros) {
    EntryLayout.hold(array, place);
    try {
      return terms.isIdle(
          EntryLayout.terms(array, place),
          EntryLayout.atMicros(array, place),
          EntryLayout.used(array, place),
          longsPerPlace == EntryLayout.LONGS_WITH_BEFORE ? EntryLayout.before(array, place) : 0,
          nowMicros);
    } finally {
      EntryLayout.letGo(array, place);
    }
  }

  private boolean isCrowded(int keys) {
    return (long) keys * 5 > (long) capacity() * 4;
  }

  /**
   * Copies to an array of which two thirds are used, without what is idle. Places of the former
   * array are held for ever, so whoever still looks at it finds nothing there.
   */
  private void rebuild(long nowMicros) {
    freeIdle(Integer.MAX_VALUE, nowMicros);
    int capacity = Math.max(UsageTable.FEWEST_PLACES, (int) ((long) (count + 1) * 25 / 16) + 1);
    // Made before anything is held: there may be no memory for it.
    long[] array = new long[capacity * longsPerPlace];
    long[] former = places;
    for (int place = 0; place < former.length; place += longsPerPlace) {
      if (!EntryLayout.isFree(former, place)) {
        EntryLayout.hold(former, place);
        int free = home(array.length, EntryLayout.first(former, place));
        while (!EntryLayout.isFree(array, free)) {
          free = next(array, free);
        }
        EntryLayout.copy(former, place, array, free, longsPerPlace);
        EntryLayout.give(array, free, EntryLayout.first(former, place));
      }
    }
    sweptUpTo = 0;
    length = array.length;
    places = array;
  }
}
