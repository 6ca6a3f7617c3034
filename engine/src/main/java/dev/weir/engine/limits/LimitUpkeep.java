package dev.weir.engine.limits;

/**
 * The port to what a store of limits and leases, one that does not do so by itself, has to remove
 * now and then. Each step is small, and no decision waits for it. {@link LimitSweep} runs it.
 */
public interface LimitUpkeep {
  /** Runs {@code work} unless another node does so now. Returns whether it ran. */
  boolean alone(Runnable work);

  /**
   * Removes what nobody would miss: usages that equal fresh ones, request ids and leases whose time
   * is over.
   *
   * @param most of each sort at most so many
   * @return how many of the sort of which most were removed: as many as {@code most} means that
   *     there may be more
   */
  int removeExpired(int most);
}
