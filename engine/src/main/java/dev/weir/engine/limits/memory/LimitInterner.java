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
 * The limits under which the entries of a segment were written, each with a number that becomes
 * free when no entry uses it. Limits are equal here if usages decay in the same way: the rate of a
 * bucket, the length of a window.
 */
final class LimitInterner {
  private final int max;
  private @Nullable Limit[] limits = new @Nullable Limit[1];
  private long[] scales = new long[1];
  private int[] uses = new int[1];

  // The elements at index 0. Few segments have more than one limit at a time, and an in-memory
  // decision is so short that avoiding two array accesses is measurable.
  private @Nullable Limit limitOfZero;
  private long scaleOfZero;

  LimitInterner(int max) {
    this.max = max;
  }

  Limit get(int number) {
    return Objects.requireNonNull(limits[number]);
  }

  /** Returns the {@link Usage#scale} of the limit with this number. */
  long scale(int number) {
    return number == 0 ? scaleOfZero : scales[number];
  }

  @SuppressWarnings("ReferenceEquality") // usually the same instance, which is faster to check
  boolean isSame(int number, Limit limit) {
    return (number == 0 ? limitOfZero : limits[number]) == limit || isSame(get(number), limit);
  }

  /** Returns the number of a limit that one more entry uses. */
  int add(Limit limit) {
    int free = -1;
    for (int number = 0; number < limits.length; number++) {
      Limit known = limits[number];
      if (known == null) {
        free = number;
      } else if (isSame(known, limit)) {
        uses[number]++;
        return number;
      }
    }
    if (free < 0) {
      free = grow();
    }
    limits[free] = limit;
    scales[free] = scaleOf(limit);
    uses[free] = 1;
    if (free == 0) {
      limitOfZero = limit;
      scaleOfZero = scales[0];
    }
    return free;
  }

  void remove(int number) {
    if (--uses[number] == 0) {
      limits[number] = null;
      if (number == 0) {
        limitOfZero = null;
      }
    }
  }

  /** Returns the number of a limit for an entry that used another one. */
  int exchange(int former, Limit limit) {
    int number = add(limit);
    remove(former);
    return number;
  }

  private int grow() {
    int former = limits.length;
    if (former == max) {
      throw StoreException.full("full: too many different limits in use");
    }
    limits = Arrays.copyOf(limits, former * 2);
    scales = Arrays.copyOf(scales, former * 2);
    uses = Arrays.copyOf(uses, former * 2);
    return former;
  }

  /** Returns the {@link Usage#scale} that a limit writes. */
  static long scaleOf(Limit limit) {
    // On the path of every decision; the compiler does not always optimize a switch over types.
    if (limit instanceof TokenBucket bucket) {
      return bucket.refillMicros();
    }
    return limit instanceof SlidingWindow window ? window.windowMicros() : 1;
  }

  /** Returns true if the usage written under a number equals that of a new key. */
  boolean isIdle(int number, long atMicros, long used, long before, long nowMicros) {
    // A separate branch for each kind, see EntryTransitions.
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
