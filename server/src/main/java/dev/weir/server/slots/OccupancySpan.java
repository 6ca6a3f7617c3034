package dev.weir.server.slots;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.planning.internal.WindowCells;
import java.time.Duration;
import java.time.Instant;

/**
 * A span of time in equal cells, each as long as a whole number of windows.
 *
 * @param fromMicros the start of a window
 */
record OccupancySpan(long fromMicros, long cellMicros, int cells) {
  static final int DEFAULT_CELLS = 240;
  static final int MAX_CELLS = 1_000;

  /** The max length, which bounds the opening hours to look at. */
  static final Duration MAX_LENGTH = Duration.ofDays(400);

  /**
   * Divides a span into cells of whole windows of a policy, as many as possible up to a maximum.
   *
   * @param minCell the min length of a cell
   */
  static OccupancySpan of(SlotPolicy policy, long from, long to, int maxCells, long minCell) {
    long size = policy.windowMicros();
    long start = policy.windowStart(from);
    long length = Math.max(1, to - start);
    long cell = Math.max(minCell, ceilDiv(length, maxCells));
    long whole = ceilDiv(cell, size) * size;
    return new OccupancySpan(start, whole, (int) ceilDiv(length, whole));
  }

  private static long ceilDiv(long dividend, long divisor) {
    return Math.ceilDiv(dividend, divisor);
  }

  long untilMicros() {
    return fromMicros + cells * cellMicros;
  }

  WindowCells newCells() {
    return new WindowCells(fromMicros, cellMicros, cells);
  }

  /** Returns a time of this span, which may end in year 10000, as many parsers read it. */
  static Instant instant(long micros) {
    return Micros.instant(Math.clamp(micros, Micros.EARLIEST, Micros.LATEST));
  }
}
