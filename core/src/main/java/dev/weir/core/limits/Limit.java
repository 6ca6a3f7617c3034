package dev.weir.core.limits;

import dev.weir.core.Micros;

/**
 * How much may pass in how much time.
 *
 * <p>A limit is asked in three steps: {@link #settle} brings what was used up to the present,
 * {@link #remaining} tells what is left, {@link #take} takes. {@link #decide} is the three of them,
 * the whole transition. All arithmetic is in integers and rounds against the caller. A clock that
 * steps backwards stands still here until it has caught up.
 */
public sealed interface Limit permits FixedWindow, SlidingWindow, TokenBucket {
  long SHORTEST_MICROS = 1_000;

  long LONGEST_MICROS = 366L * 24 * 3_600 * Micros.PER_SECOND;

  /** Among so many nodes, at most, a limit is shared out. */
  int MOST_NODES = 1_000;

  /** The most that could ever be granted at once. A demand for more is a mistake. */
  long most();

  /** What is still used at the given time, in the units of this limit. */
  Usage settle(Usage usage, long nowMicros);

  /** What may be taken at the given time, from a settled usage. */
  long remaining(Usage settled, long nowMicros);

  /** Whether so much, from 1 to {@link #most}, remains. */
  default boolean hasLeft(Usage settled, long cost, long nowMicros) {
    return cost <= remaining(settled, nowMicros);
  }

  /** The usage after so much, not more than remains, was taken at the given time. */
  Usage take(Usage settled, long cost, long nowMicros);

  /** How long until so much, not more than {@link #most}, remains: sufficient and minimal. */
  long waitMicros(Usage settled, long cost, long nowMicros);

  /**
   * The usage after so much that was taken at some time before is given back. What has come back
   * since, because a window is over or a bucket was refilled, is not given back again, and nothing
   * ever exceeds {@link #most}. A bucket gives back the cost less what refills in that time.
   */
  Usage giveBack(Usage settled, long cost, long takenAtMicros);

  /** How long until nothing of a settled usage is left, and a store may forget it. */
  long idleMicros(Usage settled, long nowMicros);

  /**
   * What one of so many nodes enforces by itself when they cannot share their counts: all together
   * not more than the whole, unless the share of each would be less than one.
   */
  Limit share(int nodes);

  /** Takes so much if it remains. */
  default Step decide(Usage usage, long cost, long nowMicros) {
    requireCost(cost);
    Usage settled = settle(usage, nowMicros);
    long remaining = remaining(settled, nowMicros);
    if (cost > remaining) {
      return new Step(usage, refuse(settled, remaining, cost, nowMicros));
    }
    Usage next = take(settled, cost, nowMicros);
    return new Step(next, allow(next, remaining - cost, nowMicros));
  }

  /** What {@link #decide} would say; what remains is told as it is, with nothing taken. */
  default Decision peek(Usage usage, long cost, long nowMicros) {
    requireCost(cost);
    Usage settled = settle(usage, nowMicros);
    long remaining = remaining(settled, nowMicros);
    return cost > remaining
        ? refuse(settled, remaining, cost, nowMicros)
        : allow(settled, remaining, nowMicros);
  }

  /** The usage after a refund. */
  default Usage refund(Usage usage, long cost, long takenAtMicros, long nowMicros) {
    requireCost(cost);
    return giveBack(settle(usage, nowMicros), cost, takenAtMicros);
  }

  /** What is said to a grant that leaves so much. */
  default Decision allow(Usage settled, long remaining, long nowMicros) {
    return new Decision.Allowed(remaining, resetMicros(settled, remaining, nowMicros));
  }

  /** What is said to a demand for more than so much. */
  default Decision refuse(Usage settled, long remaining, long cost, long nowMicros) {
    return new Decision.Refused(
        remaining,
        resetMicros(settled, remaining, nowMicros),
        waitMicros(settled, cost, nowMicros));
  }

  private long resetMicros(Usage settled, long remaining, long nowMicros) {
    return remaining >= most() ? 0 : waitMicros(settled, remaining + 1, nowMicros);
  }

  /** Throws {@link IllegalArgumentException} for a cost that could never be granted. */
  default void requireCost(long cost) {
    if (cost < 1 || cost > most()) {
      throw new IllegalArgumentException(
          "cost must be from 1 to %d, not %d".formatted(most(), cost));
    }
  }

  /** What was decided, and what is used after it. */
  record Step(Usage next, Decision decision) {}
}
