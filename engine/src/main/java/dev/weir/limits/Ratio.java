package dev.weir.limits;

/** A positive fraction in lowest terms. */
record Ratio(long numerator, long denominator) {
  /**
   * Returns the largest fraction not above this one whose denominator is at most {@code
   * maxDenominator}.
   *
   * <p>Walks down the Stern-Brocot tree: every fraction between two neighbours with larger terms is
   * a sum of multiples of their terms. Each iteration moves one neighbour as far as possible, as
   * Euclid's algorithm does.
   */
  Ratio floorWithDenominator(long maxDenominator) {
    long belowNumerator = numerator / denominator;
    long belowDenominator = 1;
    long aboveNumerator = belowNumerator + 1;
    long aboveDenominator = 1;
    // The distances of both from this fraction, in units of one over the product of the
    // denominators.
    long gapBelow = numerator % denominator;
    long gapAbove = denominator - gapBelow;
    while (gapBelow > 0) {
      long steps =
          Math.min(gapBelow / gapAbove, (maxDenominator - belowDenominator) / aboveDenominator);
      belowNumerator += steps * aboveNumerator;
      belowDenominator += steps * aboveDenominator;
      gapBelow -= steps * gapAbove;
      if (gapBelow == 0) {
        break;
      }
      long others =
          Math.min(
              (gapAbove - 1) / gapBelow, (maxDenominator - aboveDenominator) / belowDenominator);
      if (steps == 0 && others == 0) {
        break;
      }
      aboveNumerator += others * belowNumerator;
      aboveDenominator += others * belowDenominator;
      gapAbove -= others * gapBelow;
    }
    return new Ratio(belowNumerator, belowDenominator);
  }
}
