package dev.weir.engine.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A part of a {@link UsageTable} under a lock of its own: places in one array of longs, found by
 * open addressing with linear probing.
 *
 * <p>A place has five or, without {@code before}, four longs: the two of the hash, the time and the
 * count with the number of its terms in their spare bits. The terms are the limit that wrote it, in
 * a small dictionary: by them it is known when a place is idle. Everything but {@link #lock} and
 * {@link #tryLock} is called by whoever holds the lock.
 */
final class Segment {
  /** What {@link #find} finds if the key is not there. */
  static final int ABSENT = -1;

  private static final VarHandle LOCK;

  static {
    try {
      LOCK = MethodHandles.lookup().findVarHandle(Segment.class, "locked", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int SPINS = 200;
  private static final long PARK_NANOS = 20_000;

  private static final int FIRST = 0;
  private static final int SECOND = 1;
  private static final int AT = 2;
  private static final int USED = 3;
  private static final int BEFORE = 4;

  /** A place is free if its first long is this; a hash that is gets another value. */
  private static final long FREE = 0;

  /** A time needs 59 bits, a count 54; what is left holds the number of the terms. */
  private static final int AT_SPARE_BITS = 5;

  private static final int USED_SPARE_BITS = 10;
  private static final long USED_SPARE = (1L << USED_SPARE_BITS) - 1;
  private static final long AT_SPARE = (1L << AT_SPARE_BITS) - 1;

  private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

  private final long order;
  private final int longsPerPlace;
  private final int segmentBits;
  private final AtomicLong total;
  private final Terms terms = new Terms(1 << (AT_SPARE_BITS + USED_SPARE_BITS));
  private long[] places = new long[0];
  private int capacity;
  private int count;
  private int sweptUpTo;
  private int turns;

  @SuppressWarnings("UnusedVariable") // by its handle
  private boolean locked;

  /**
   * @param segmentBits so many bits of a hash have been used to find this segment
   * @param index its place among the segments of its table
   * @param total counts the keys of all segments
   */
  Segment(int longsPerPlace, int segmentBits, int index, AtomicLong total) {
    this.order = ((long) longsPerPlace << Integer.SIZE) | index;
    this.longsPerPlace = longsPerPlace;
    this.segmentBits = segmentBits;
    this.total = total;
  }

  // The lock. It is held for a few dozen nanoseconds, or while a small array is copied, so whoever
  // comes second looks again before anything heavier is done. Not reentrant.

  /** A number that no other segment of the store has: whoever locks several goes by it. */
  long order() {
    return order;
  }

  boolean tryLock() {
    return LOCK.compareAndSet(this, false, true);
  }

  void lock() {
    if (!tryLock()) {
      lockContended();
    }
  }

  private void lockContended() {
    for (int tries = 0; !(isUnlocked() && tryLock()); tries++) {
      if (tries < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, PARK_NANOS);
      }
    }
  }

  private boolean isUnlocked() {
    return !(boolean) LOCK.getOpaque(this);
  }

  void unlock() {
    LOCK.setRelease(this, false);
  }

  /** Counts the calls, so that the caller may do a share of the sweeping every so often. */
  boolean isSweeper() {
    return (++turns & (UsageTable.SWEEP_EVERY - 1)) == 0;
  }

  // Places.

  /** Bits that decide where a key belongs. Linear probing needs more disorder than a hash has. */
  static long spread(long first) {
    long mixed = (first ^ (first >>> 32)) * ODD;
    return mixed ^ (mixed >>> 29);
  }

  /** The place of a key, or {@link #ABSENT}. */
  int find(long first, long second) {
    if (capacity == 0) {
      return ABSENT;
    }
    long wanted = stored(first);
    int place = home(wanted);
    while (true) {
      long there = places[place + FIRST];
      if (there == wanted && places[place + SECOND] == second) {
        return place;
      }
      if (there == FREE) {
        return ABSENT;
      }
      place = next(place);
    }
  }

  /** What was last written at a place, nothing if {@link #ABSENT}. */
  Usage usage(int place) {
    // One constructor call for both, or the compiler could not do without the object.
    boolean isThere = place != ABSENT;
    return new Usage(
        isThere ? places[place + AT] >> AT_SPARE_BITS : Micros.EARLIEST,
        isThere ? places[place + USED] >>> USED_SPARE_BITS : 0,
        isThere && longsPerPlace > BEFORE ? places[place + BEFORE] : 0,
        isThere ? terms.scale(termsAt(place)) : 0);
  }

  /** Replaces what is used at a place; nothing used frees it. */
  void write(int place, Limit limit, long atMicros, long used, long before) {
    if (used == 0 && before == 0) {
      remove(place);
      return;
    }
    int number = termsAt(place);
    if (!terms.isSame(number, limit)) {
      number = terms.exchange(number, limit);
    }
    set(place, number, atMicros, used, before);
  }

  /** Adds a key that is {@link #ABSENT}. */
  void add(
      long first, long second, Limit limit, long atMicros, long used, long before, long nowMicros) {
    if (isCrowded(count + 1)) {
      rebuild(nowMicros);
    }
    int place = home(stored(first));
    while (places[place + FIRST] != FREE) {
      place = next(place);
    }
    int number = terms.add(limit);
    places[place + FIRST] = stored(first);
    places[place + SECOND] = second;
    set(place, number, atMicros, used, before);
    count++;
    total.getAndIncrement();
  }

  /** Frees a place. Those behind it that would not be found any more move up. */
  void remove(int place) {
    terms.remove(termsAt(place));
    count--;
    total.getAndDecrement();
    int hole = place;
    for (int next = next(hole); places[next + FIRST] != FREE; next = next(next)) {
      int home = home(places[next + FIRST]);
      boolean staysReachable =
          hole < next ? hole < home && home <= next : hole < home || home <= next;
      if (!staysReachable) {
        System.arraycopy(places, next, places, hole, longsPerPlace);
        hole = next;
      }
    }
    places[hole + FIRST] = FREE;
  }

  // Sweeping and growing.

  /** Frees what is idle among the next so many places. */
  void sweep(int most, long nowMicros) {
    int end = Math.min(most, capacity);
    for (int looked = 0; looked < end; looked++) {
      if (sweptUpTo >= places.length) {
        sweptUpTo = 0;
      }
      // What moves up into a hole is looked at, too.
      while (places[sweptUpTo + FIRST] != FREE && isIdle(sweptUpTo, nowMicros)) {
        remove(sweptUpTo);
      }
      sweptUpTo += longsPerPlace;
    }
    if (capacity > 2 * UsageTable.FEWEST_PLACES && count < capacity / 3) {
      rebuild(nowMicros);
    }
  }

  private boolean isIdle(int place, long nowMicros) {
    return terms.isIdle(
        termsAt(place),
        places[place + AT] >> AT_SPARE_BITS,
        places[place + USED] >>> USED_SPARE_BITS,
        longsPerPlace > BEFORE ? places[place + BEFORE] : 0,
        nowMicros);
  }

  private boolean isCrowded(int keys) {
    return (long) keys * 5 > (long) capacity * 4;
  }

  /** Copies to an array of which two thirds are used; what is idle stays behind. */
  private void rebuild(long nowMicros) {
    long[] former = places;
    int live = 0;
    for (int place = 0; place < former.length; place += longsPerPlace) {
      if (former[place + FIRST] != FREE) {
        if (isIdle(place, nowMicros)) {
          terms.remove(termsAt(place));
          former[place + FIRST] = FREE;
        } else {
          live++;
        }
      }
    }
    total.getAndAdd(live - count);
    count = live;
    capacity = Math.max(UsageTable.FEWEST_PLACES, (int) ((long) (live + 1) * 25 / 16) + 1);
    places = new long[capacity * longsPerPlace];
    sweptUpTo = 0;
    for (int place = 0; place < former.length; place += longsPerPlace) {
      if (former[place + FIRST] != FREE) {
        int free = home(former[place + FIRST]);
        while (places[free + FIRST] != FREE) {
          free = next(free);
        }
        System.arraycopy(former, place, places, free, longsPerPlace);
      }
    }
  }

  private void set(int place, int termsNumber, long atMicros, long used, long before) {
    places[place + AT] = (atMicros << AT_SPARE_BITS) | (termsNumber >>> USED_SPARE_BITS);
    places[place + USED] = (used << USED_SPARE_BITS) | (termsNumber & USED_SPARE);
    if (longsPerPlace > BEFORE) {
      places[place + BEFORE] = before;
    }
  }

  private int termsAt(int place) {
    return (int)
        (((places[place + AT] & AT_SPARE) << USED_SPARE_BITS)
            | (places[place + USED] & USED_SPARE));
  }

  private static long stored(long first) {
    return first == FREE ? ODD : first;
  }

  private int home(long first) {
    long within = spread(first) << segmentBits;
    return (int) Math.unsignedMultiplyHigh(within, capacity) * longsPerPlace;
  }

  private int next(int place) {
    int next = place + longsPerPlace;
    return next == places.length ? 0 : next;
  }
}
