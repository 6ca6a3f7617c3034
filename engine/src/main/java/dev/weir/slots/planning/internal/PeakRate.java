package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.util.Arrays;

/** Calculates the maximum number of events that a configuration can schedule within one second. */
public final class PeakRate {
  private PeakRate() {}

  /**
   * Returns the maximum number of events in any interval of one second, its end exclusive,
   * including intervals across window boundaries. Exact for {@link Spread#EVEN}: every window is
   * assumed to be full, and fewer events cannot be denser. For {@link Spread#RANDOM} it is the
   * worst case of chance.
   */
  public static long perSecond(SlotPolicy policy) {
    return switch (policy.spread()) {
      case EVEN -> evenly(policy);
      case RANDOM -> atRandom(policy);
    };
  }

  private static long evenly(SlotPolicy policy) {
    int max = policy.maxPerWindow();
    long size = policy.windowMicros();
    long[] offsets = new long[max];
    for (int place = 0; place < max; place++) {
      offsets[place] = Places.offsetMicros(place, size);
    }
    Arrays.sort(offsets);
    long wholeWindows = Micros.PER_SECOND / size;
    long rest = Micros.PER_SECOND % size;
    // A densest interval begins at an event. Whole windows hold max events each, wherever they
    // begin.
    int maxInRest = 0;
    int end = 0;
    for (int begin = 0; begin < max; begin++) {
      end = Math.max(end, begin);
      while (end < begin + max && at(offsets, end, size) < offsets[begin] + rest) {
        end++;
      }
      maxInRest = Math.max(maxInRest, end - begin);
    }
    return wholeWindows * max + maxInRest;
  }

  private static long at(long[] offsets, int index, long size) {
    return index < offsets.length ? offsets[index] : offsets[index - offsets.length] + size;
  }

  private static long atRandom(SlotPolicy policy) {
    // A second that begins inside a window touches one more window than fits into it.
    long touched = (Micros.PER_SECOND - 2) / policy.windowMicros() + 2;
    return touched * policy.maxPerWindow();
  }
}
