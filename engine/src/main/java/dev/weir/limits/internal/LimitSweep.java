package dev.weir.limits.internal;

/**
 * One round of removing expired data in small steps, unless another node is doing so. Meant to be
 * run about every half minute by the owner of an upkeep thread.
 */
public final class LimitSweep implements Runnable {
  private static final int STEP = 1_000;

  private final LimitUpkeep upkeep;
  private final int maxSteps;

  /**
   * Creates a sweep.
   *
   * @param maxSteps maximum number of steps in a round
   */
  public LimitSweep(LimitUpkeep upkeep, int maxSteps) {
    if (maxSteps < 1) {
      throw new IllegalArgumentException("maxSteps must be at least 1, not " + maxSteps);
    }
    this.upkeep = upkeep;
    this.maxSteps = maxSteps;
  }

  @Override
  public void run() {
    upkeep.runExclusively(
        () -> {
          int removed = STEP;
          for (int i = 0; i < maxSteps && removed >= STEP; i++) {
            removed = upkeep.removeExpired(STEP);
          }
        });
  }
}
