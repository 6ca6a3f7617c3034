package dev.weir.slots.planning.internal;

/**
 * A span of time in equal cells, with the number of events in the windows that start in each. Not
 * thread-safe.
 */
public final class WindowCells {
  private final long fromMicros;
  private final long cellMicros;
  private final long[] taken;
  private final long[] fullest;

  public WindowCells(long fromMicros, long cellMicros, int cells) {
    if (cellMicros < 1 || cells < 1) {
      throw new IllegalArgumentException(
          "cellMicros %d and cells %d must be at least 1".formatted(cellMicros, cells));
    }
    this.fromMicros = fromMicros;
    this.cellMicros = cellMicros;
    this.taken = new long[cells];
    this.fullest = new long[cells];
  }

  /** Adds windows; those outside of the span are left out. */
  public void add(Backlog.Fill fill, long windowMicros) {
    long first = Math.floorDiv(fill.startMicros() - fromMicros, cellMicros);
    for (long cell = Math.max(0, first); cell < taken.length; cell++) {
      long cellStart = fromMicros + cell * cellMicros;
      long before = startsBefore(fill, windowMicros, cellStart);
      long inside = startsBefore(fill, windowMicros, cellStart + cellMicros) - before;
      if (before >= fill.windows()) {
        return;
      }
      if (inside > 0) {
        taken[(int) cell] += inside * fill.perWindow();
        fullest[(int) cell] = Math.max(fullest[(int) cell], fill.perWindow());
      }
    }
  }

  /** Returns how many of the windows start before {@code micros}. */
  private static long startsBefore(Backlog.Fill fill, long windowMicros, long micros) {
    long distance = micros - fill.startMicros();
    return distance <= 0
        ? 0
        : Math.min(fill.windows(), (distance + windowMicros - 1) / windowMicros);
  }

  /** Returns the number of events in the windows that start in a cell. */
  public long taken(int cell) {
    return taken[cell];
  }

  /** Returns the largest number of events in one of the windows that start in a cell. */
  public long fullest(int cell) {
    return fullest[cell];
  }

  public long startMicros(int cell) {
    return fromMicros + cell * cellMicros;
  }
}
