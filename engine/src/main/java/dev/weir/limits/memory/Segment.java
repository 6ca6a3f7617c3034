package dev.weir.limits.memory;

import dev.weir.limits.Limit;
import dev.weir.limits.Policy;
import dev.weir.limits.Usage;
import java.util.List;

/**
 * A part of a {@link UsageTable}: entries in one array of longs, found by open addressing with
 * linear probing.
 *
 * <p>A key that is present is found and held ({@link #hold}) without a lock. Adding, removing or
 * moving keys and changing their limit requires the lock, and also holding each entry that is
 * changed. So a held entry stays where it is, and an array with a held entry stays the current one.
 * A key that is not found without the lock may be on the move; only a search with the lock is
 * conclusive.
 */
final class Segment {
  /** The result of {@link #find} if the key is absent. */
  static final int ABSENT = -1;

  private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

  // Read by every caller, and rarely written.
  private volatile long[] entries;

  /**
   * The length of the current array. It is kept here because reading it from the array would mean
   * waiting for another cache line before the position of a key is known. Without the lock it may
   * belong to another array: then the search begins at a wrong position, and finds the key or
   * nothing.
   */
  private int length;

  private final LimitInterner limits = new LimitInterner(EntryLayout.MAX_LIMITS);
  private final int longsPerEntry;
  private final int segmentBits;

  private final SpinLock lock = new SpinLock();
  private final long order;
  private final KeyCounts total;
  private int count;
  private int sweptUpTo;

  /**
   * Creates an empty segment.
   *
   * @param segmentBits the number of hash bits that were used to select this segment
   * @param index the index of this segment in its table
   * @param none an array with one free entry
   * @param total counts the keys of all segments
   */
  Segment(int longsPerEntry, int segmentBits, int index, long[] none, KeyCounts total) {
    this.order = ((long) longsPerEntry << Integer.SIZE) | index;
    this.longsPerEntry = longsPerEntry;
    this.segmentBits = segmentBits;
    this.entries = none;
    this.length = none.length;
    this.total = total;
  }

  /**
   * Returns a number that is unique among the segments of a store. Callers that lock several
   * segments lock them in this order.
   */
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

  // Called without the lock.

  /**
   * Returns the array, which stays current while the caller has the lock or holds one of its
   * entries.
   */
  long[] entries() {
    return entries;
  }

  /**
   * Finds and holds the entry of a key that was written under this policy. Returns {@link #ABSENT}
   * if there is none, if that is uncertain, or if the entry is held for long; the caller then has
   * to take the lock.
   */
  int hold(long[] entries, long first, long second, Policy policy) {
    int entry = home(length, first);
    if (entry >= entries.length) {
      return ABSENT;
    }
    // In a small table the key is nearly always there. Reading before writing would transfer its
    // cache line from another processor twice.
    if (!hasFewEntries(entries) || !EntryLayout.tryHold(entries, entry, first, second)) {
      entry = findAndHold(entries, entry, first, second);
      if (entry == ABSENT) {
        return ABSENT;
      }
    }
    // The limit of an entry does not change while it is held.
    if (limits.isSame(EntryLayout.limitNumber(entries, entry), policy)) {
      return entry;
    }
    EntryLayout.release(entries, entry);
    return ABSENT;
  }

  private boolean hasFewEntries(long[] entries) {
    return entries.length <= UsageTable.MIN_ENTRIES * longsPerEntry;
  }

  private int findAndHold(long[] entries, int home, long first, long second) {
    int entry = find(entries, home, first, second);
    for (int tries = 0; entry != ABSENT; tries++) {
      if (EntryLayout.tryHold(entries, entry, first, second)) {
        return entry;
      }
      if (!EntryLayout.belongsTo(entries, entry, first, second)
          || !SpinLock.isWorthSpinning(tries)) {
        return ABSENT;
      }
      SpinLock.awaitNextTry(tries);
    }
    return ABSENT;
  }

  /**
   * Returns the bits that determine the position of a key. Linear probing needs more randomness
   * than the hash has.
   */
  static long spread(long first) {
    // Without the lowest bit, which entries do not store in place.
    long mixed = (first >>> 1 ^ (first >>> 32)) * ODD;
    return mixed ^ (mixed >>> 29);
  }

  private int find(long[] entries, int home, long first, long second) {
    int entry = home;
    while (!EntryLayout.belongsTo(entries, entry, first, second)) {
      if (EntryLayout.isFree(entries, entry)) {
        return ABSENT;
      }
      entry = next(entries, entry);
    }
    return entry;
  }

  private int home(int length, long first) {
    // Only the stored value is known of an entry that is moved.
    long spread = spread(EntryLayout.stored(first));
    int at = (int) Math.unsignedMultiplyHigh(spread << segmentBits, length);
    return longsPerEntry == EntryLayout.LONGS_WITHOUT_BEFORE
        ? at & -EntryLayout.LONGS_WITHOUT_BEFORE
        : at - at % EntryLayout.LONGS_WITH_BEFORE;
  }

  private int next(long[] entries, int entry) {
    int next = entry + longsPerEntry;
    return next == entries.length ? 0 : next;
  }

  // Called with the lock.

  /** Returns the entry of a key, or {@link #ABSENT}. */
  int find(long first, long second) {
    return find(entries, home(length, first), first, second);
  }

  /** Decides for a key that may be present or absent. The caller holds no entry. */
  <R> R decide(
      Policy policy,
      long cost,
      BusyClock.Reading read,
      long first,
      long second,
      UsageTable table,
      Answer<R> answer) {
    int entry = find(first, second);
    if (entry == ABSENT) {
      long nowMicros = read.micros();
      Limit.Step step = policy.limit().decide(Usage.NONE, cost, nowMicros);
      table.requireCapacity(List.of(this), nowMicros, second);
      add(first, second, policy, step.next(), nowMicros);
      return answer.of(step.decision(), nowMicros);
    }
    EntryLayout.hold(entries, entry);
    try {
      Usage usage = usage(entry);
      long nowMicros = read.caughtUpWith(usage.atMicros());
      Policy counting = on(entry, usage, policy);
      Limit limit = counting.limit();
      Limit.Step step = limit.decide(usage, cost, nowMicros);
      if (step.decision().isAllowed() || !limit.isCurrent(usage, nowMicros)) {
        write(entry, counting, step.next());
      }
      return answer.of(step.decision(), nowMicros);
    } finally {
      EntryLayout.release(entries, entry);
    }
  }

  /**
   * Returns the usage last written to an entry that the caller holds; {@link Usage#NONE} if {@link
   * #ABSENT}.
   */
  Usage usage(int entry) {
    if (entry == ABSENT) {
      return Usage.NONE;
    }
    long[] current = entries;
    return limits.usage(
        EntryLayout.limitNumber(current, entry),
        EntryLayout.atMicros(current, entry),
        EntryLayout.used(current, entry),
        longsPerEntry == EntryLayout.LONGS_WITH_BEFORE ? EntryLayout.before(current, entry) : 0);
  }

  /** Returns the policy by which to decide on the usage of an entry, see {@link Policy#on}. */
  Policy on(int entry, Usage usage, Policy policy) {
    return entry == ABSENT
        ? policy
        : policy.on(usage, limits.version(EntryLayout.limitNumber(entries, entry)));
  }

  /** Replaces the usage of an entry that the caller holds. */
  void write(int entry, Policy policy, Usage usage) {
    long[] current = entries;
    int number = EntryLayout.limitNumber(current, entry);
    if (!limits.isSame(number, policy)) {
      EntryLayout.writeLimitNumber(current, entry, limits.exchange(number, policy));
    }
    write(current, entry, usage);
  }

  private void write(long[] array, int entry, Usage usage) {
    EntryLayout.write(array, entry, usage.atMicros(), usage.used());
    if (longsPerEntry == EntryLayout.LONGS_WITH_BEFORE) {
      EntryLayout.writeBefore(array, entry, usage.before());
    }
  }

  /** Adds a key that is {@link #ABSENT}. The caller holds no entry. */
  void add(long first, long second, Policy policy, Usage usage, long nowMicros) {
    if (isCrowded(count + 1)) {
      rebuild(nowMicros);
    }
    long[] current = entries;
    int number = limits.add(policy);
    int entry = home(length, first);
    while (!EntryLayout.isFree(current, entry)) {
      entry = next(current, entry);
    }
    EntryLayout.prepare(current, entry, first, second);
    EntryLayout.writeLimitNumber(current, entry, number);
    write(current, entry, usage);
    EntryLayout.publish(current, entry, first);
    count++;
    total.added(second);
  }

  /** Settles all keys of a policy whose usage is not current. */
  void settle(Policy policy, BusyClock.Reading read) {
    if (!limits.knows(policy)) {
      return;
    }
    limits.raise(policy);
    long[] current = entries;
    for (int entry = 0; entry < current.length; entry += longsPerEntry) {
      if (!EntryLayout.isFree(current, entry)) {
        EntryLayout.hold(current, entry);
        try {
          if (limits.isNamed(EntryLayout.limitNumber(current, entry), policy)) {
            settle(entry, policy, read);
          }
        } finally {
          EntryLayout.release(current, entry);
        }
      }
    }
  }

  /** Settles the usage of an entry that the caller holds, unless it is current. */
  void settle(int entry, Policy policy, BusyClock.Reading read) {
    Usage usage = usage(entry);
    long nowMicros = read.caughtUpWith(usage.atMicros());
    Policy counting = on(entry, usage, policy);
    if (!counting.limit().isCurrent(usage, nowMicros)) {
      write(entry, counting, counting.limit().settle(usage, nowMicros));
    }
  }

  /** Removes the key that owns an entry. */
  void remove(int entry) {
    EntryLayout.hold(entries, entry);
    long second = EntryLayout.second(entries, entry);
    vacate(entry);
    total.removed(second);
  }

  /** Frees a held entry. Entries behind it that would not be found any more move up. */
  private void vacate(int entry) {
    long[] current = entries;
    limits.remove(EntryLayout.limitNumber(current, entry));
    count--;
    int hole = entry;
    int next = next(current, hole);
    while (!EntryLayout.isFree(current, next)) {
      int home = home(length, EntryLayout.first(current, next));
      boolean staysReachable =
          hole < next ? hole < home && home <= next : hole < home || home <= next;
      if (!staysReachable) {
        EntryLayout.hold(current, next);
        EntryLayout.copy(current, next, current, hole, longsPerEntry);
        EntryLayout.publish(current, hole, EntryLayout.first(current, next));
        hole = next;
      }
      next = next(current, next);
    }
    EntryLayout.free(current, hole);
  }

  // Sweeping and growing. Called with the lock.

  /** Frees the idle entries among the next {@code max} ones. The caller holds no entry. */
  void sweep(int max, long nowMicros) {
    freeIdle(max, nowMicros);
    if (capacity() > 2 * UsageTable.MIN_ENTRIES && count < capacity() / 3) {
      rebuild(nowMicros);
    }
  }

  private void freeIdle(int max, long nowMicros) {
    long[] current = entries;
    int end = Math.min(max, capacity());
    for (int checked = 0; checked < end; checked++) {
      if (sweptUpTo >= current.length) {
        sweptUpTo = 0;
      }
      // An entry that moves up into the hole is checked, too.
      while (!EntryLayout.isFree(current, sweptUpTo) && isIdle(current, sweptUpTo, nowMicros)) {
        remove(sweptUpTo);
      }
      sweptUpTo += longsPerEntry;
    }
  }

  private int capacity() {
    return entries.length / longsPerEntry;
  }

  private boolean isIdle(long[] array, int entry, long nowMicros) {
    EntryLayout.hold(array, entry);
    try {
      return limits.isIdle(
          EntryLayout.limitNumber(array, entry),
          EntryLayout.atMicros(array, entry),
          EntryLayout.used(array, entry),
          longsPerEntry == EntryLayout.LONGS_WITH_BEFORE ? EntryLayout.before(array, entry) : 0,
          nowMicros);
    } finally {
      EntryLayout.release(array, entry);
    }
  }

  private boolean isCrowded(int keys) {
    return (long) keys * 5 > (long) capacity() * 4;
  }

  /**
   * Copies the entries that are not idle to an array that is two thirds full. The entries of the
   * former array stay held forever, so a caller that still reads it finds nothing there.
   */
  private void rebuild(long nowMicros) {
    freeIdle(Integer.MAX_VALUE, nowMicros);
    int capacity = Math.max(UsageTable.MIN_ENTRIES, (int) ((long) (count + 1) * 25 / 16) + 1);
    // Allocated before anything is held, because the memory may be exhausted.
    long[] array = new long[capacity * longsPerEntry];
    long[] former = entries;
    for (int entry = 0; entry < former.length; entry += longsPerEntry) {
      if (!EntryLayout.isFree(former, entry)) {
        EntryLayout.hold(former, entry);
        int free = home(array.length, EntryLayout.first(former, entry));
        while (!EntryLayout.isFree(array, free)) {
          free = next(array, free);
        }
        EntryLayout.copy(former, entry, array, free, longsPerEntry);
        EntryLayout.publish(array, free, EntryLayout.first(former, entry));
      }
    }
    sweptUpTo = 0;
    length = array.length;
    entries = array;
  }
}
