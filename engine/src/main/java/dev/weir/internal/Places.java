package dev.weir.internal;

/**
 * The places of a window: place k is at {@code size × reverse(k)}, where {@code reverse} mirrors
 * the bits of k behind the binary point (0, ½, ¼, ¾, ⅛, …, the van der Corput sequence).
 *
 * <p>Any number of places in use is spread about evenly, so the sequence does not depend on the
 * final count, and raising a limit only adds places between the existing ones.
 */
public final class Places {
  /** The number of places of a window; places are numbered below it. */
  public static final int COUNT = 1 << 20;

  /** The result of a search that found nothing; larger than every place. */
  public static final int NONE = Integer.MAX_VALUE;

  private static final int BITS = 20;

  /**
   * A word of the bitmap holds 64 places, which share the lower 14 bits of their mirrored number.
   */
  private static final int WORD_BITS = BITS - 6;

  /** {@code ABOVE[h]}: the places of a word whose upper six mirrored bits are greater than h. */
  private static final long[] ABOVE = new long[65];

  static {
    for (int high = 0; high <= 64; high++) {
      for (int bit = 0; bit < 64; bit++) {
        if ((Integer.reverse(bit) >>> 26) > high) {
          ABOVE[high] |= 1L << bit;
        }
      }
    }
  }

  private Places() {}

  /** Returns the number of equal cells for the places below {@code max}: the next power of two. */
  public static int grid(int max) {
    return max <= 1 ? 1 : Integer.highestOneBit(max - 1) << 1;
  }

  /** Returns the offset of a place in microseconds from the start of its window. */
  public static long offsetMicros(int place, long sizeMicros) {
    // size < 2^42 and the mirrored number < 2^20: the product cannot overflow.
    return (sizeMicros * mirrored(place)) >> BITS;
  }

  /**
   * Returns the bits of a place mirrored into a 20-bit number, its rank in time among all places.
   */
  public static int mirrored(int place) {
    return Integer.reverse(place) >>> (32 - BITS);
  }

  /**
   * Returns the smallest mirrored number whose place is not before {@code offsetMicros}; 2^20 if
   * there is none. A place is in [a, b) exactly if its mirrored number is in [rank(a), rank(b)).
   */
  public static int rank(long offsetMicros, long sizeMicros) {
    if (offsetMicros <= 0) {
      return 0;
    }
    if (offsetMicros >= sizeMicros) {
      return COUNT;
    }
    // floor(size × m / 2^20) ≥ offset  ⟺  m ≥ ceil(offset × 2^20 / size)
    return (int) (((offsetMicros << BITS) + sizeMicros - 1) / sizeMicros);
  }

  /**
   * Returns a mask of the 64 places of a bitmap word whose mirrored number is at least {@code
   * rank}.
   */
  public static long notBefore(int word, int rank) {
    if (rank >= COUNT) {
      return 0L;
    }
    int high = rank >>> WORD_BITS;
    int low = rank & ((1 << WORD_BITS) - 1);
    long mask = ABOVE[high];
    if (mirrored(word) >>> 6 >= low) {
      mask |= 1L << (Integer.reverse(high) >>> 26);
    }
    return mask;
  }
}
