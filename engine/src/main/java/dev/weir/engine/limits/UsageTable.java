package dev.weir.engine.limits;

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
   * Every so many calls at a segment so many places are swept, seldom enough to cost nothing. A
   * segment that grows is swept as well, so that what is idle never takes the place of what is not.
   */
  static final int SWEEP_EVERY = 256;

  static final int SWEEP_PLACES = 64;

  /** So many more segments are swept a bit before a key is refused. */
  private static final int LAST_RESORT = 16;

  private final Segment[] segments;
  private final int segmentBits;
  private final long mostKeys;
  private final AtomicLong keys;
  // Races are harmless: a segment is swept twice, or a round later.
  private int nextSwept;

  UsageTable(int longsPerPlace, long mostKeys, AtomicLong keys) {
    int wanted = Math.clamp(mostKeys / KEYS_PER_SEGMENT, FEWEST_SEGMENTS, MOST_SEGMENTS);
    this.segmentBits = Integer.SIZE - Integer.numberOfLeadingZeros(wanted - 1);
    this.mostKeys = mostKeys;
    this.keys = keys;
    this.segments = new Segment[1 << segmentBits];
    for (int i = 0; i < segments.length; i++) {
      segments[i] = new Segment(longsPerPlace, segmentBits, i, keys);
    }
  }

  Segment segmentOf(long first) {
    return segments[indexOf(first)];
  }

  int indexOf(long first) {
    return (int) (Segment.spread(first) >>> (Long.SIZE - segmentBits));
  }

  /** Throws unless a key may be added to a segment that the caller has locked. */
  void requireRoom(Segment held, long nowMicros) {
    if (keys.get() >= mostKeys) {
      makeRoom(1, List.of(held), nowMicros);
    }
  }

  /** Throws unless so many keys may be added to segments that the caller has locked. */
  void requireRoom(int more, List<Segment> held, long nowMicros) {
    if (keys.get() + more > mostKeys) {
      makeRoom(more, held, nowMicros);
    }
  }

  /** Sweeps a little further than usual before it gives up; never all, that would take too long. */
  private void makeRoom(int more, List<Segment> held, long nowMicros) {
    held.forEach(segment -> segment.sweep(SWEEP_PLACES, nowMicros));
    for (int tries = 0; tries < LAST_RESORT && keys.get() + more > mostKeys; tries++) {
      sweepNext(nowMicros);
    }
    if (keys.get() + more > mostKeys) {
      throw new StoreException("full: %d keys are in use".formatted(mostKeys));
    }
  }

  /** Does a share of the sweeping, unless somebody is busy there. */
  void sweepNext(long nowMicros) {
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
