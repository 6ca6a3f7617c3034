package dev.weir.server.metrics;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts durations in buckets, eight for each power of two, from a microsecond to half a minute.
 * The difference of two readings yields the percentiles of the time between them, exact to an
 * eighth. Recording is one increment of an adder. Thread-safe.
 */
public final class Latencies {
  private static final int SUB_BITS = 3;
  private static final int SUBS = 1 << SUB_BITS;

  /** Durations below 2^10 ns, about a microsecond, share the first bucket. */
  private static final int MIN_EXPONENT = 10;

  private static final int MAX_EXPONENT = 35;
  private static final int BUCKETS = (MAX_EXPONENT - MIN_EXPONENT) * SUBS + 1;
  private static final double NANOS_OF_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final LongAdder[] counts = new LongAdder[BUCKETS];

  public Latencies() {
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] = new LongAdder();
    }
  }

  public void record(long nanos) {
    counts[bucket(nanos)].increment();
  }

  static int bucket(long nanos) {
    if (nanos < 1L << MIN_EXPONENT) {
      return 0;
    }
    int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    int sub = (int) (nanos >>> (exponent - SUB_BITS)) & (SUBS - 1);
    return Math.min((exponent - MIN_EXPONENT) * SUBS + sub + 1, BUCKETS - 1);
  }

  /** Returns the duration at which a bucket ends, exclusive. */
  static long endNanos(int bucket) {
    if (bucket == 0) {
      return 1L << MIN_EXPONENT;
    }
    int exponent = (bucket - 1) / SUBS + MIN_EXPONENT;
    int sub = (bucket - 1) % SUBS;
    return (1L << exponent) + ((sub + 1L) << (exponent - SUB_BITS));
  }

  /** Returns the counts so far. */
  public Reading read() {
    long[] values = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      values[i] = counts[i].sum();
    }
    return new Reading(values);
  }

  /** The counts of all buckets at a time. */
  public static final class Reading {
    private final long[] counts;

    private Reading(long[] counts) {
      this.counts = counts;
    }

    /**
     * Returns the duration in milliseconds that this share of the durations since an earlier
     * reading did not exceed; NaN if there were none.
     *
     * @param share above 0, up to 1
     */
    public double percentileSince(Reading earlier, double share) {
      long total = 0;
      for (int i = 0; i < counts.length; i++) {
        total += counts[i] - earlier.counts[i];
      }
      long rank = (long) Math.ceil(total * share);
      for (int i = 0; i < counts.length && rank > 0; i++) {
        rank -= counts[i] - earlier.counts[i];
        if (rank <= 0) {
          return endNanos(i) / NANOS_OF_A_MILLI;
        }
      }
      return Double.NaN;
    }
  }
}
