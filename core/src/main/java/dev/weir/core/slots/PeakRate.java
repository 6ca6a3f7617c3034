package dev.weir.core.slots;

import dev.weir.core.Micros;
import java.util.Arrays;

/** How many events a configuration can put into one second at the very worst. */
public final class PeakRate {
  private PeakRate() {}

  /**
   * The most events in any interval of a second, its end not included, across borders of windows
   * too. Exact for {@link Spread#EVEN}: every window is taken to be full, and fewer events cannot
   * be denser. For {@link Spread#RANDOM} it is what chance could do.
   */
  public static long perSecond(SlotPolicy terms) {
    return switch (terms.spread()) {
      case EVEN -> evenly(terms);
      case RANDOM -> atRandom(terms);
    };
  }

  private static long evenly(SlotPolicy terms) {
    int max = terms.maxPerWindow();
    long size = terms.windowMicros();
    long[] offsets = new long[max];
    for (int place = 0; place < max; place++) {
      offsets[place] = Places.offsetMicros(place, size);
    }
    Arrays.sort(offsets);
    long wholeWindows = Micros.PER_SECOND / size;
    long rest = Micros.PER_SECOND % size;
    // A densest interval begins at an event. Whole windows hold max each, wherever they begin.
    int most = 0;
    int end = 0;
    for (int begin = 0; begin < max; begin++) {
      end = Math.max(end, begin);
      while (end < begin + max && at(offsets, end, size) < offsets[begin] + rest) {
        end++;
      }
      most = Math.max(most, end - begin);
    }
    return wholeWindows * max + most;
  }

  private static long at(long[] offsets, int index, long size) {
    return index < offsets.length ? offsets[index] : offsets[index - offsets.length] + size;
  }

  private static long atRandom(SlotPolicy terms) {
    // A second that begins inside a window touches one window more than fit into it.
    long touched = (Micros.PER_SECOND - 2) / terms.windowMicros() + 2;
    return touched * terms.maxPerWindow();
  }
}
