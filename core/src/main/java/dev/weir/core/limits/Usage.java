package dev.weir.core.limits;

import dev.weir.core.Micros;

/**
 * What has been used of a limit: the state that a store keeps for a key.
 *
 * <p>All numbers fit into 53 bits, so that a store that counts in floating point is exact as well.
 *
 * @param atMicros since when: the start of a window, or a bucket's last refill
 * @param used what is used at that time: a count, or the debt of a bucket in its units
 * @param before what was used in the window before, where that matters
 * @param scale the units in which it was counted: see each limit. A limit that was changed since
 *     tells by it, and converts
 */
public record Usage(long atMicros, long used, long before, long scale) {
  /** Nothing is used, the state of a key that was never seen. */
  public static final Usage NONE = new Usage(Micros.EARLIEST, 0, 0, 0);

  /** The largest number that a limit counts with. */
  public static final long MOST = 1L << 53;

  public boolean isNone() {
    return used == 0 && before == 0;
  }
}
