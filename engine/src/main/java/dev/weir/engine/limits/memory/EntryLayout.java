package dev.weir.engine.limits.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How usages lie in an array of longs, and who may change them.
 *
 * <p>A place has five or, without {@code before}, four longs: the two of the hash, the time and the
 * count. The lowest bit of the first says whether somebody holds the place; the bit of the hash
 * that it stands for is among the spare ones of the time, and so is, with those of the count, the
 * number of the {@link LimitInterner} under which it was written.
 *
 * <p>Whoever holds a place may change it, nobody else may. It is held for a few dozen nanoseconds,
 * and whoever holds one waits for nothing but, under the lock of its segment, for other places. So
 * callers of one key meet in one line of the processor's cache, and those of different keys in
 * none.
 */
final class EntryLayout {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int FIRST = 0;
  private static final int SECOND = 1;
  private static final int AT = 2;
  private static final int USED = 3;
  private static final int BEFORE = 4;

  static final int LONGS_WITHOUT_BEFORE = 4;
  static final int LONGS_WITH_BEFORE = 5;

  /** A place is free if its first long is this; a hash that is gets another value. */
  private static final long FREE = 0;

  private static final long INSTEAD_OF_FREE = 0x9E37_79B9_7F4A_7C14L;

  private static final long HELD = 1;

  /** A time needs 59 bits, a count 54. */
  private static final int AT_SPARE_BITS = 5;

  private static final long AT_SPARE = (1L << AT_SPARE_BITS) - 1;
  private static final long HASH_IN_AT = HELD;
  private static final int TERMS_IN_AT_SHIFT = 1;
  private static final int USED_SPARE_BITS = 10;
  private static final long USED_SPARE = (1L << USED_SPARE_BITS) - 1;

  /** So many numbers of terms there are. */
  static final int MOST_TERMS = 1 << (USED_SPARE_BITS + AT_SPARE_BITS - TERMS_IN_AT_SHIFT);

  private EntryLayout() {}

  // Whose a place is. Who reads this without holding the place has to look again once he does.

  static boolean isFree(long[] places, int place) {
    return places[place + FIRST] == FREE;
  }

  static boolean isOf(long[] places, int place, long first, long second) {
    return (places[place + FIRST] & ~HELD) == stored(first)
        && isRestOf(places, place, first, second);
  }

  private static boolean isRestOf(long[] places, int place, long first, long second) {
    return places[place + SECOND] == second && ((places[place + AT] ^ first) & HASH_IN_AT) == 0;
  }

  /** The first half of the hash of the key that has a place, but for a bit. */
  static long first(long[] places, int place) {
    return places[place + FIRST] & ~HELD;
  }

  /** What stands for the first half of a hash at a place that is not held. */
  static long stored(long first) {
    long stored = first & ~HELD;
    return stored == FREE ? INSTEAD_OF_FREE : stored;
  }

  // Holding.

  /** Holds a place if it is this key's and nobody else holds it. */
  static boolean tryHold(long[] places, int place, long first, long second) {
    long stored = stored(first);
    if (!LONGS.compareAndSet(places, place + FIRST, stored, stored | HELD)) {
      return false;
    }
    if (isRestOf(places, place, first, second)) {
      return true;
    }
    letGo(places, place);
    return false;
  }

  /**
   * Waits until it holds a place. The caller has locked the segment, so that it stays the key's.
   */
  static void hold(long[] places, int place) {
    long stored = first(places, place);
    for (int tries = 0;
        !LONGS.compareAndSet(places, place + FIRST, stored, stored | HELD);
        tries++) {
      SpinLock.awaitNextTry(tries);
    }
  }

  static void letGo(long[] places, int place) {
    LONGS.setRelease(places, place + FIRST, places[place + FIRST] & ~HELD);
  }

  // What a place tells to whoever holds it.

  static long atMicros(long[] places, int place) {
    return places[place + AT] >> AT_SPARE_BITS;
  }

  static long used(long[] places, int place) {
    return places[place + USED] >>> USED_SPARE_BITS;
  }

  static long before(long[] places, int place) {
    return places[place + BEFORE];
  }

  static int terms(long[] places, int place) {
    long high = (places[place + AT] & AT_SPARE) >>> TERMS_IN_AT_SHIFT;
    return (int) (high << USED_SPARE_BITS | (places[place + USED] & USED_SPARE));
  }

  // Changing a place that one holds.

  static void write(long[] places, int place, long atMicros, long used) {
    places[place + AT] = (atMicros << AT_SPARE_BITS) | (places[place + AT] & AT_SPARE);
    places[place + USED] = (used << USED_SPARE_BITS) | (places[place + USED] & USED_SPARE);
  }

  static void writeBefore(long[] places, int place, long before) {
    places[place + BEFORE] = before;
  }

  static void writeTerms(long[] places, int place, int terms) {
    long high = (long) terms >>> USED_SPARE_BITS << TERMS_IN_AT_SHIFT;
    places[place + AT] = (places[place + AT] & (~AT_SPARE | HASH_IN_AT)) | high;
    places[place + USED] = (places[place + USED] & ~USED_SPARE) | (terms & USED_SPARE);
  }

  /** Begins to write at a free place, which is nobody's until {@link #give}. */
  static void prepare(long[] places, int place, long first, long second) {
    places[place + SECOND] = second;
    places[place + AT] = first & HASH_IN_AT;
  }

  /** Gives a place that was free, or that the caller holds, to a key. Nobody holds it then. */
  static void give(long[] places, int place, long first) {
    LONGS.setRelease(places, place + FIRST, stored(first));
  }

  static void free(long[] places, int place) {
    LONGS.setRelease(places, place + FIRST, FREE);
  }

  /** Copies what one place holds to another, all but who it is given to. */
  static void copy(long[] from, int place, long[] to, int other, int longs) {
    System.arraycopy(from, place + SECOND, to, other + SECOND, longs - SECOND);
  }
}
