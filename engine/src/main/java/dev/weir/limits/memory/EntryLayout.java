package dev.weir.limits.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The layout of usages in an array of longs, and the protocol for changing them.
 *
 * <p>An entry has five longs or, without {@code before}, four: the two of the hash, the time and
 * the count. The lowest bit of the first long is set while the entry is held. The hash bit that it
 * replaces is stored in the spare bits of the time; the rest of these, with the spare bits of the
 * count, store the number in the {@link LimitInterner} of the limit under which the entry was
 * written.
 *
 * <p>Only the thread that holds an entry may change it. An entry is held for a few dozen
 * nanoseconds, and a thread that holds one waits for nothing except, under the lock of its segment,
 * for other entries. So callers of one key contend for a single cache line, and callers of
 * different keys for none.
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

  /** An entry is free if its first long has this value; a hash with this value is replaced. */
  private static final long FREE = 0;

  private static final long INSTEAD_OF_FREE = 0x9E37_79B9_7F4A_7C14L;

  private static final long HELD = 1;

  /** A time needs 59 bits, a count 54. */
  private static final int AT_SPARE_BITS = 5;

  private static final long AT_SPARE = (1L << AT_SPARE_BITS) - 1;
  private static final long HASH_IN_AT = HELD;
  private static final int NUMBER_IN_AT_SHIFT = 1;
  private static final int USED_SPARE_BITS = 10;
  private static final long USED_SPARE = (1L << USED_SPARE_BITS) - 1;

  /** The number of different limit numbers that can be stored. */
  static final int MAX_LIMITS = 1 << (USED_SPARE_BITS + AT_SPARE_BITS - NUMBER_IN_AT_SHIFT);

  private EntryLayout() {}

  // Owner of an entry. A caller that reads it without holding the entry must check again once it
  // does.

  static boolean isFree(long[] entries, int entry) {
    return entries[entry + FIRST] == FREE;
  }

  static boolean belongsTo(long[] entries, int entry, long first, long second) {
    return (entries[entry + FIRST] & ~HELD) == stored(first)
        && restBelongsTo(entries, entry, first, second);
  }

  private static boolean restBelongsTo(long[] entries, int entry, long first, long second) {
    return entries[entry + SECOND] == second && ((entries[entry + AT] ^ first) & HASH_IN_AT) == 0;
  }

  /** Returns the first half of the hash of the key that owns an entry, except for one bit. */
  static long first(long[] entries, int entry) {
    return entries[entry + FIRST] & ~HELD;
  }

  /** Returns the second half of the hash of the key that owns an entry. */
  static long second(long[] entries, int entry) {
    return entries[entry + SECOND];
  }

  /** Returns the value that represents the first half of a hash in an entry that is not held. */
  static long stored(long first) {
    long stored = first & ~HELD;
    return stored == FREE ? INSTEAD_OF_FREE : stored;
  }

  // Holding entries.

  /** Holds an entry if it belongs to this key and is not held. Returns false otherwise. */
  static boolean tryHold(long[] entries, int entry, long first, long second) {
    long stored = stored(first);
    if (!LONGS.compareAndSet(entries, entry + FIRST, stored, stored | HELD)) {
      return false;
    }
    if (restBelongsTo(entries, entry, first, second)) {
      return true;
    }
    release(entries, entry);
    return false;
  }

  /**
   * Waits until it holds an entry. The caller has locked the segment, so that the entry keeps its
   * owner.
   */
  static void hold(long[] entries, int entry) {
    long stored = first(entries, entry);
    for (int tries = 0;
        !LONGS.compareAndSet(entries, entry + FIRST, stored, stored | HELD);
        tries++) {
      SpinLock.awaitNextTry(tries);
    }
  }

  static void release(long[] entries, int entry) {
    LONGS.setRelease(entries, entry + FIRST, entries[entry + FIRST] & ~HELD);
  }

  // Reading an entry that the caller holds.

  static long atMicros(long[] entries, int entry) {
    return entries[entry + AT] >> AT_SPARE_BITS;
  }

  static long used(long[] entries, int entry) {
    return entries[entry + USED] >>> USED_SPARE_BITS;
  }

  static long before(long[] entries, int entry) {
    return entries[entry + BEFORE];
  }

  /** Returns the number of the limit under which the entry was written. */
  static int limitNumber(long[] entries, int entry) {
    long high = (entries[entry + AT] & AT_SPARE) >>> NUMBER_IN_AT_SHIFT;
    return (int) (high << USED_SPARE_BITS | (entries[entry + USED] & USED_SPARE));
  }

  // Changing an entry that the caller holds.

  static void write(long[] entries, int entry, long atMicros, long used) {
    entries[entry + AT] = (atMicros << AT_SPARE_BITS) | (entries[entry + AT] & AT_SPARE);
    entries[entry + USED] = (used << USED_SPARE_BITS) | (entries[entry + USED] & USED_SPARE);
  }

  static void writeBefore(long[] entries, int entry, long before) {
    entries[entry + BEFORE] = before;
  }

  static void writeLimitNumber(long[] entries, int entry, int number) {
    long high = (long) number >>> USED_SPARE_BITS << NUMBER_IN_AT_SHIFT;
    entries[entry + AT] = (entries[entry + AT] & (~AT_SPARE | HASH_IN_AT)) | high;
    entries[entry + USED] = (entries[entry + USED] & ~USED_SPARE) | (number & USED_SPARE);
  }

  /** Begins to write a free entry, which has no owner until {@link #publish}. */
  static void prepare(long[] entries, int entry, long first, long second) {
    entries[entry + SECOND] = second;
    entries[entry + AT] = first & HASH_IN_AT;
  }

  /**
   * Makes a key the owner of an entry that was free or that the caller holds. It is not held
   * afterwards.
   */
  static void publish(long[] entries, int entry, long first) {
    LONGS.setRelease(entries, entry + FIRST, stored(first));
  }

  static void free(long[] entries, int entry) {
    LONGS.setRelease(entries, entry + FIRST, FREE);
  }

  /** Copies the contents of an entry to another one, except for its owner. */
  static void copy(long[] from, int entry, long[] to, int target, int longs) {
    System.arraycopy(from, entry + SECOND, to, target + SECOND, longs - SECOND);
  }
}
