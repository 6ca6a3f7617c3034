package dev.weir.engine.limits;

/**
 * One round of removing what has expired, in small steps, unless another node is at it. Meant to be
 * run every half a minute or so by whoever owns a thread for upkeep.
 */
public final class LimitSweep implements Runnable {
  private static final int STEP = 1_000;

  private final LimitUpkeep upkeep;
  private final int mostSteps;

  /**
   * @param mostSteps how many steps one round makes, at most
   */
  public LimitSweep(LimitUpkeep upkeep, int mostSteps) {
    if (mostSteps < 1) {
      throw new IllegalArgumentException("mostSteps must be at least 1, not " + mostSteps);
    }
    this.upkeep = upkeep;
    this.mostSteps = mostSteps;
  }

  @Override
  public void run() {
    upkeep.alone(
        () -> {
          int removed = STEP;
          for (int i = 0; i < mostSteps && removed >= STEP; i++) {
            removed = upkeep.removeExpired(STEP);
          }
        });
  }
}
