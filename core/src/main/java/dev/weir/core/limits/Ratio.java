package dev.weir.core.limits;

/** A ratio of two whole numbers in lowest terms, above nothing. */
record Ratio(long over, long under) {
  /**
   * The largest ratio not above this one whose lower term is at most {@code mostUnder}.
   *
   * <p>Walks down the Stern-Brocot tree: between two neighbours every ratio of larger terms is a
   * sum of their terms. Each turn moves one of them as far as it goes, as Euclid's algorithm does.
   */
  Ratio nextBelow(long mostUnder) {
    long belowOver = over / under;
    long belowUnder = 1;
    long aboveOver = belowOver + 1;
    long aboveUnder = 1;
    // How far both are from this ratio, in parts of its lower term times theirs.
    long gapBelow = over % under;
    long gapAbove = under - gapBelow;
    while (gapBelow > 0) {
      long steps = Math.min(gapBelow / gapAbove, (mostUnder - belowUnder) / aboveUnder);
      belowOver += steps * aboveOver;
      belowUnder += steps * aboveUnder;
      gapBelow -= steps * gapAbove;
      if (gapBelow == 0) {
        break;
      }
      long others = Math.min((gapAbove - 1) / gapBelow, (mostUnder - aboveUnder) / belowUnder);
      if (steps == 0 && others == 0) {
        break;
      }
      aboveOver += others * belowOver;
      aboveUnder += others * belowUnder;
      gapAbove -= others * gapBelow;
    }
    return new Ratio(belowOver, belowUnder);
  }
}
