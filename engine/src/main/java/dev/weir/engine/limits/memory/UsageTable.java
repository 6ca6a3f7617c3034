package dev.weir.engine.limits.memory;

import dev.weir.engine.StoreException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Usages by the hash of their keys, in many small segments.
 *
 * <p>There are so many segments that each stays small up to the largest number of keys, so that the
 * copy that makes one grow is short. Whoever asks sweeps a few places now and then, round and round
 * through all segments: no thread of its own does it.
 */
final class UsageTable {
  static final int FEWEST_PLACES = 4;

  private static final int KEYS_PER_SEGMENT = 8_192;
  private static final int FEWEST_SEGMENTS = 64;
  private static final int MOST_SEGMENTS = 1 << 16;

  /**
   * So often, at most, so many places are swept, seldom enough to cost nothing. A segment that
   * grows is swept as well, so that what is idle never takes the place of what is not.
   */
  static final long SWEEP_MICROS = 500;

  static final int SWEEP_PLACES = 256;

  /** So many more segments are swept a bit before a key is refused. */
  private static final int LAST_RESORT = 16;

  private final Segment[] segments;
  private final int segmentBits;
  private final long mostKeys;
  private final AtomicLong keys;
  // Races are harmless: a segment is swept twice, or a round later.
  private int nextSwept;
  private long sweptAtMicros;

  UsageTable(int longsPerPlace, long mostKeys, AtomicLong keys) {
    int wanted = Math.clamp(mostKeys / KEYS_PER_SEGMENT, FEWEST_SEGMENTS, MOST_SEGMENTS);
    this.segmentBits = Integer.SIZE - Integer.numberOfLeadingZeros(wanted - 1);
    this.mostKeys = mostKeys;
    this.keys = keys;
    this.segments = new Segment[1 << segmentBits];
    long[] none = new long[longsPerPlace];
    for (int i = 0; i < segments.length; i++) {
      segments[i] = new Segment(longsPerPlace, segmentBits, i, none, keys);
    }
  }

  Segment segmentOf(long first) {
    return segments[indexOf(first)];
  }

  int indexOf(long first) {
    return (int) (Segment.spread(first) >>> (Long.SIZE - segmentBits));
  }

  boolean hasRoom(int more) {
    return keys.get() + more <= mostKeys;
  }

  /**
   * Throws unless so many keys may be added to segments that the caller has locked, without holding
   * a place.
   */
  void requireRoom(int more, List<Segment> locked, long nowMicros) {
    if (!hasRoom(more)) {
      makeRoom(more, locked, nowMicros);
    }
  }

  /** Sweeps a little further than usual before it gives up; never all, that would take too long. */
  private void makeRoom(int more, List<Segment> locked, long nowMicros) {
    locked.forEach(segment -> segment.sweep(SWEEP_PLACES, nowMicros));
    for (int tries = 0; tries < LAST_RESORT && !hasRoom(more); tries++) {
      sweepNext(nowMicros);
    }
    if (!hasRoom(more)) {
      throw StoreException.full("full: %d keys are in use".formatted(mostKeys));
    }
  }

  /** Does a share of the sweeping if it is time, also if the clock was set back. */
  void sweepNow(long nowMicros) {
    if (Long.compareUnsigned(nowMicros - sweptAtMicros, SWEEP_MICROS) >= 0) {
      sweptAtMicros = nowMicros;
      sweepNext(nowMicros);
    }
  }

  /** Sweeps a part of the next segment if nobody is busy there. */
  private void sweepNext(long nowMicros) {
    int index = nextSwept & (segments.length - 1);
    nextSwept = index + 1;
    Segment segment = segments[index];
    if (segment.tryLock()) {
      try {
        segment.sweep(SWEEP_PLACES, nowMicros);
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
