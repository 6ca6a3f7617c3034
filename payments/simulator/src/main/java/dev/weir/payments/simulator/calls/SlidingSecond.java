package dev.weir.payments.simulator.calls;

/**
 * The number of calls in sliding seconds. A second is half-open: the calls of the second that ends
 * at {@code t} are those after {@code t - 1 s} and up to {@code t}, so two calls exactly one second
 * apart never share one.
 *
 * <p>It suffices to look at the seconds that end with a call, because any other second contains no
 * call that the second ending with its last call does not. Memory is 8 bytes for each call of the
 * latest second. Not thread-safe.
 */
public final class SlidingSecond {
  public static final long SECOND_NANOS = 1_000_000_000L;

  /** The times of the calls in the latest second, oldest first, from {@code head} on. */
  private long[] ring = new long[64];

  private int head;
  private int count;
  private int max;
  private long maxEndNanos;
  private long lastNanos = Long.MIN_VALUE;

  /**
   * Adds a call and returns the number of calls in the second that ends with it.
   *
   * @param atNanos nanoseconds since any fixed moment
   * @throws IllegalArgumentException if {@code atNanos} is before an earlier call
   */
  public int add(long atNanos) {
    forget(atNanos);
    lastNanos = atNanos;
    if (count == ring.length) {
      grow();
    }
    ring[index(count)] = atNanos;
    count++;
    if (count > max) {
      max = count;
      maxEndNanos = atNanos;
    }
    return count;
  }

  /**
   * Returns the number of calls in the second that ends at a moment.
   *
   * @throws IllegalArgumentException if {@code atNanos} is before the latest call
   */
  public int countAt(long atNanos) {
    forget(atNanos);
    return count;
  }

  /** Returns the max number of calls in any second; 0 without calls. */
  public int max() {
    return max;
  }

  /** Returns the end of the first second with {@link #max} calls; 0 without calls. */
  public long maxEndNanos() {
    return maxEndNanos;
  }

  private void forget(long atNanos) {
    if (atNanos < lastNanos) {
      throw new IllegalArgumentException(
          "atNanos must not be before %d, but is %d".formatted(lastNanos, atNanos));
    }
    while (count > 0 && atNanos - ring[head] >= SECOND_NANOS) {
      head = index(1);
      count--;
    }
  }

  private int index(int offset) {
    return (head + offset) & (ring.length - 1);
  }

  private void grow() {
    long[] larger = new long[Math.multiplyExact(ring.length, 2)];
    for (int i = 0; i < count; i++) {
      larger[i] = ring[index(i)];
    }
    ring = larger;
    head = 0;
  }
}
