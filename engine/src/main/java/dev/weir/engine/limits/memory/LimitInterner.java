package dev.weir.engine.limits.memory;

import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.core.limits.Usage;
import dev.weir.engine.StoreException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The limits under whose terms the places of a segment were written, each with a number that is
 * free again once no place has it. Of a limit only what tells how a usage fades counts as its
 * terms: the rate of a bucket, the length of a window.
 */
final class LimitInterner {
  private final int most;
  private @Nullable Limit[] limits = new @Nullable Limit[1];
  private long[] scales = new long[1];
  private int[] places = new int[1];

  // What the arrays have at 0. Few segments see more than one limit at a time, and a decision in
  // memory is so short that two arrays less to look at can be measured.
  private @Nullable Limit limitOfZero;
  private long scaleOfZero;

  LimitInterner(int most) {
    this.most = most;
  }

  Limit get(int number) {
    return Objects.requireNonNull(limits[number]);
  }

  /** What the limit of a number writes as {@link Usage#scale}. */
  long scale(int number) {
    return number == 0 ? scaleOfZero : scales[number];
  }

  @SuppressWarnings("ReferenceEquality") // it mostly is the very same, which is quicker to see
  boolean isSame(int number, Limit limit) {
    return (number == 0 ? limitOfZero : limits[number]) == limit || isSame(get(number), limit);
  }

  /** The number of a limit that one more place has. */
  int add(Limit limit) {
    int free = -1;
    for (int number = 0; number < limits.length; number++) {
      Limit there = limits[number];
      if (there == null) {
        free = number;
      } else if (isSame(there, limit)) {
        places[number]++;
        return number;
      }
    }
    if (free < 0) {
      free = grow();
    }
    limits[free] = limit;
    scales[free] = scaleOf(limit);
    places[free] = 1;
    if (free == 0) {
      limitOfZero = limit;
      scaleOfZero = scales[0];
    }
    return free;
  }

  void remove(int number) {
    if (--places[number] == 0) {
      limits[number] = null;
      if (number == 0) {
        limitOfZero = null;
      }
    }
  }

  /** The number of a limit for a place that had another. */
  int exchange(int former, Limit limit) {
    int number = add(limit);
    remove(former);
    return number;
  }

  private int grow() {
    int former = limits.length;
    if (former == most) {
      throw StoreException.full("full: too many different limits at a time");
    }
    limits = Arrays.copyOf(limits, former * 2);
    scales = Arrays.copyOf(scales, former * 2);
    places = Arrays.copyOf(places, former * 2);
    return former;
  }

  /** What a limit writes as {@link Usage#scale}. */
  static long scaleOf(Limit limit) {
    // Decisions pass here, and a switch over types is more than the compiler always dissolves.
    if (limit instanceof TokenBucket bucket) {
      return bucket.refillMicros();
    }
    return limit instanceof SlidingWindow window ? window.windowMicros() : 1;
  }

  /** Whether what was written under a number equals what a key has used that was never seen. */
  boolean isIdle(int number, long atMicros, long used, long before, long nowMicros) {
    // Each kind by itself, see Counting.
    Limit limit = get(number);
    if (limit instanceof TokenBucket bucket) {
      return bucket.settle(new Usage(atMicros, used, 0, scale(number)), nowMicros).isNone();
    }
    if (limit instanceof FixedWindow window) {
      return window.settle(new Usage(atMicros, used, 0, scale(number)), nowMicros).isNone();
    }
    return limit.settle(new Usage(atMicros, used, before, scale(number)), nowMicros).isNone();
  }

  private static boolean isSame(Limit one, Limit other) {
    return switch (one) {
      case FixedWindow window ->
          other instanceof FixedWindow second
              && window.windowMicros() == second.windowMicros()
              && window.start() == second.start();
      case SlidingWindow window ->
          other instanceof SlidingWindow second && window.windowMicros() == second.windowMicros();
      case TokenBucket bucket ->
          other instanceof TokenBucket second
              && bucket.refillTokens() == second.refillTokens()
              && bucket.refillMicros() == second.refillMicros();
    };
  }
}
