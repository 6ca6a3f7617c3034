package dev.weir.limits.memory;

import dev.weir.StoreException;
import dev.weir.limits.Policy;
import java.util.List;

/**
 * Usages by the hash of their keys, in many small segments.
 *
 * <p>There are enough segments that each stays small up to the maximum number of keys, so that the
 * copy by which one grows is short. Callers sweep a few entries from time to time, in turn through
 * all segments; there is no thread for that. Thread-safe.
 */
final class UsageTable {
  static final int MIN_ENTRIES = 4;

  private static final int KEYS_PER_SEGMENT = 8_192;
  private static final int MIN_SEGMENTS = 64;
  private static final int MAX_SEGMENTS = 1 << 16;

  /**
   * The minimum time between two sweeps of {@link #SWEEP_ENTRIES} entries, long enough to make
   * their cost negligible. A segment that grows is swept as well, so that idle entries never
   * displace others.
   */
  static final long SWEEP_MICROS = 500;

  static final int SWEEP_ENTRIES = 256;

  /** The number of additional segments that are partly swept before a key is refused. */
  private static final int MAX_EXTRA_SWEEPS = 16;

  private final Segment[] segments;
  private final int segmentBits;
  private final KeyCounts keys;
  // Races are harmless: a segment is swept twice, or one round later.
  private int nextSegment;
  private long sweptAtMicros;

  UsageTable(int longsPerEntry, long maxKeys, KeyCounts keys) {
    int target = Math.clamp(maxKeys / KEYS_PER_SEGMENT, MIN_SEGMENTS, MAX_SEGMENTS);
    this.segmentBits = Integer.SIZE - Integer.numberOfLeadingZeros(target - 1);
    this.keys = keys;
    this.segments = new Segment[1 << segmentBits];
    long[] none = new long[longsPerEntry];
    for (int i = 0; i < segments.length; i++) {
      segments[i] = new Segment(longsPerEntry, segmentBits, i, none, keys);
    }
  }

  Segment segmentOf(long first) {
    return segments[indexOf(first)];
  }

  int indexOf(long first) {
    return (int) (Segment.spread(first) >>> (Long.SIZE - segmentBits));
  }

  /** Returns true if keys with these second lanes of their hashes may be added. */
  boolean hasCapacity(long... seconds) {
    return keys.hasCapacity(seconds);
  }

  /**
   * Makes sure that keys may be added to segments that the caller has locked without holding an
   * entry.
   *
   * @param seconds the second lanes of the hashes of the keys
   * @throws StoreException if the table is full, or the policy of a key has its share
   */
  void requireCapacity(List<Segment> locked, long nowMicros, long... seconds) {
    if (!hasCapacity(seconds)) {
      freeCapacity(locked, nowMicros, seconds);
    }
  }

  /**
   * Sweeps a little more than usual before giving up; never everything, which would take too long.
   */
  private void freeCapacity(List<Segment> locked, long nowMicros, long... seconds) {
    locked.forEach(segment -> segment.sweep(SWEEP_ENTRIES, nowMicros));
    for (int tries = 0; tries < MAX_EXTRA_SWEEPS && !hasCapacity(seconds); tries++) {
      sweepNext(nowMicros);
    }
    if (!hasCapacity(seconds)) {
      throw keys.full(seconds);
    }
  }

  /** Does a share of the sweeping if it is due, even if the clock was set back. */
  void sweepNow(long nowMicros) {
    if (Long.compareUnsigned(nowMicros - sweptAtMicros, SWEEP_MICROS) >= 0) {
      sweptAtMicros = nowMicros;
      sweepNext(nowMicros);
    }
  }

  /** Sweeps a part of the next segment unless it is locked. */
  private void sweepNext(long nowMicros) {
    int index = nextSegment & (segments.length - 1);
    nextSegment = index + 1;
    Segment segment = segments[index];
    if (segment.tryLock()) {
      try {
        segment.sweep(SWEEP_ENTRIES, nowMicros);
      } finally {
        segment.unlock();
      }
    }
  }

  /** Settles all keys of a policy whose usage is not current. */
  void settleAll(Policy policy, BusyClock.Reading read) {
    for (Segment segment : segments) {
      segment.lock();
      try {
        segment.settle(policy, read);
      } finally {
        segment.unlock();
      }
    }
  }

  void sweepAll(long nowMicros) {
    for (Segment segment : segments) {
      segment.lock();
      try {
        segment.sweep(Integer.MAX_VALUE, nowMicros);
      } finally {
        segment.unlock();
      }
    }
  }
}
