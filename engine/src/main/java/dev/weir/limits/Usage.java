package dev.weir.limits;

import dev.weir.internal.Micros;

/**
 * The used part of a limit: the state that a store keeps for a key.
 *
 * <p>All numbers fit into 53 bits, so a store that calculates in floating point is exact as well.
 *
 * @param atMicros the time that the usage refers to: the start of a window, or the last refill of a
 *     bucket
 * @param used the usage at that time: a count, or the debt of a bucket in its units
 * @param before the count of the previous window, or the rate of a bucket that is in debt, see each
 *     limit
 * @param scale the length of the window, or the units of a bucket, see each limit. With {@code
 *     before} it says by which numbers the usage was counted: a limit that has been changed since
 *     carries it over, see {@link Limit#settle}
 */
public record Usage(long atMicros, long used, long before, long scale) {
  /** No usage, the state of a new key. */
  public static final Usage NONE = new Usage(Micros.EARLIEST, 0, 0, 0);

  /** The largest number that a limit calculates with. */
  public static final long MAX_VALUE = 1L << 53;

  public boolean isNone() {
    return used == 0 && before == 0;
  }
}
