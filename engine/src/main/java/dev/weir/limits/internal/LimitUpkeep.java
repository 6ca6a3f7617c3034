package dev.weir.limits.internal;

/**
 * The maintenance of a store of limits and leases that does not expire its data itself. Each step
 * is small, and no decision waits for it. {@link LimitSweep} runs it.
 */
public interface LimitUpkeep {
  /** Runs {@code work} unless another node is doing so. Returns true if it ran. */
  boolean runExclusively(Runnable work);

  /**
   * Removes expired data: usages that equal fresh ones, request ids and leases whose time has
   * passed.
   *
   * @param max maximum number of rows of each kind
   * @return the number removed of the kind of which the most were removed; {@code max} means that
   *     there may be more
   */
  int removeExpired(int max);
}
