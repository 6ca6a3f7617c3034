package dev.weir.limits;

import dev.weir.internal.Micros;

/**
 * A limit on how many units may be taken in a period of time.
 *
 * <p>A decision has three steps: {@link #settle} brings the usage up to the present, {@link
 * #remaining} returns what is left, and {@link #take} takes units. {@link #decide} combines them
 * into the complete transition. All arithmetic uses integers and rounds against the caller.
 *
 * <p>A usage knows the numbers by which it was counted. If those of this limit are different, the
 * limit was changed since: what was used or refilled until now counts by the former numbers, from
 * now on by these. Nothing is given back: a window that is still open stays as used as it is, for
 * as long as the new length says; a bucket keeps its tokens.
 *
 * <p>If the clock steps backwards, time stands still here until the clock has caught up. A usage
 * that is further ahead than a window, or than the time in which the bucket fills, and than {@link
 * #MAX_AHEAD_MICROS}, is the trace of a clock that was wrong: it counts as if it had just been
 * made, so that no caller waits for as long as the clock was ahead.
 */
public sealed interface Limit permits FixedWindow, SlidingWindow, TokenBucket {
  /** The minimum length of a window or a time to live. */
  long MIN_DURATION_MICROS = 1_000;

  /** The maximum length of a window or a time to live. */
  long MAX_DURATION_MICROS = 366L * 24 * 3_600 * Micros.PER_SECOND;

  /**
   * A usage that is ahead of the clock by no more than this waits for the clock to catch up,
   * however short the limit is: clocks are corrected by such steps.
   */
  long MAX_AHEAD_MICROS = Micros.PER_SECOND;

  /** The maximum number of nodes that a limit can be divided among, see {@link #share}. */
  int MAX_NODES = 1_000;

  /**
   * Returns a number for this kind of limit, which is part of fingerprints and hashes: a policy
   * that becomes another kind of limit starts afresh.
   */
  default int kind() {
    return this instanceof TokenBucket ? 1 : this instanceof FixedWindow ? 2 : 3;
  }

  /** Returns the maximum cost that can ever be granted. A higher cost is an error of the caller. */
  long maxCost();

  /**
   * Returns the part of {@code usage} that still counts at the given time, in the units of this
   * limit. A usage that is not {@linkplain #isCurrent current} is carried over first.
   */
  Usage settle(Usage usage, long nowMicros);

  /**
   * Returns true if {@code usage} was counted by the numbers of this limit, at a time that is not
   * too far ahead. If not, the settled usage has to be written even if the request is refused:
   * otherwise it would be settled by its former numbers again.
   */
  boolean isCurrent(Usage usage, long nowMicros);

  /**
   * Returns true if usages of this limit expire or are refilled as those of another one: its window
   * or its rate is the same, whatever the number of units.
   */
  boolean decaysLike(Limit other);

  /**
   * Returns this limit with the window or rate by which {@code usage} was counted, and its own
   * number of units: by it, a limit that is older than a usage counts without settling it. Returns
   * this limit if there is no usage, or if the units could not be counted so.
   */
  Limit countedLike(Usage usage);

  /** Returns the units that are available at the given time, from a settled usage. */
  long remaining(Usage settled, long nowMicros);

  /** Returns true if {@code cost} units, from 1 to {@link #maxCost}, are available. */
  default boolean hasLeft(Usage settled, long cost, long nowMicros) {
    return cost <= remaining(settled, nowMicros);
  }

  /**
   * Returns the usage after {@code cost} units, no more than remain, were taken at the given time.
   */
  Usage take(Usage settled, long cost, long nowMicros);

  /**
   * Returns the time until {@code cost} units, at most {@link #maxCost}, are available: sufficient
   * and minimal.
   */
  long waitMicros(Usage settled, long cost, long nowMicros);

  /**
   * Returns the usage after {@code cost} units that were taken at an earlier time are given back.
   * Units that have been restored since, because a window ended or a bucket was refilled, are not
   * given back again, and the available units never exceed {@link #maxCost}. A bucket gives back
   * the cost minus the refill of that time.
   */
  Usage giveBack(Usage settled, long cost, long takenAtMicros);

  /**
   * Returns how many whole units of those that were taken are not restored by now, if each of them
   * is restored on its own. Windows restore all at once, which their usage shows.
   */
  default long unrestored(long cost, long elapsedMicros) {
    return cost;
  }

  /** Returns the time until a settled usage equals a fresh one, so that a store may delete it. */
  long idleMicros(Usage settled, long nowMicros);

  /**
   * Returns the part of this limit that one of {@code nodes} nodes enforces alone while they cannot
   * share their counts. All parts together do not exceed this limit, unless each part would be less
   * than one.
   */
  Limit share(int nodes);

  /** Takes {@code cost} units if they are available. */
  default Step decide(Usage usage, long cost, long nowMicros) {
    requireCost(cost);
    Usage settled = settle(usage, nowMicros);
    long remaining = remaining(settled, nowMicros);
    if (cost > remaining) {
      return new Step(
          isCurrent(usage, nowMicros) ? usage : settled,
          refuse(settled, remaining, cost, nowMicros));
    }
    Usage next = take(settled, cost, nowMicros);
    return new Step(next, allow(next, remaining - cost, nowMicros));
  }

  /**
   * Returns the decision that {@link #decide} would make, without taking anything: the remaining
   * units are the present ones.
   */
  default Decision peek(Usage usage, long cost, long nowMicros) {
    requireCost(cost);
    Usage settled = settle(usage, nowMicros);
    long remaining = remaining(settled, nowMicros);
    return cost > remaining
        ? refuse(settled, remaining, cost, nowMicros)
        : allow(settled, remaining, nowMicros);
  }

  /**
   * Returns the usage after a refund of units taken at {@code takenAtMicros}, see {@link
   * #giveBack}.
   */
  default Usage refund(Usage usage, long cost, long takenAtMicros, long nowMicros) {
    requireCost(cost);
    return giveBack(settle(usage, nowMicros), cost, takenAtMicros);
  }

  /** Returns the decision for a granted request that leaves {@code remaining} units. */
  default Decision allow(Usage settled, long remaining, long nowMicros) {
    return new Decision.Allowed(remaining, resetMicros(settled, remaining, nowMicros));
  }

  /** Returns the decision for a request of more than the {@code remaining} units. */
  default Decision refuse(Usage settled, long remaining, long cost, long nowMicros) {
    return new Decision.Refused(
        remaining,
        resetMicros(settled, remaining, nowMicros),
        waitMicros(settled, cost, nowMicros));
  }

  private long resetMicros(Usage settled, long remaining, long nowMicros) {
    return remaining >= maxCost() ? 0 : waitMicros(settled, remaining + 1, nowMicros);
  }

  /**
   * Checks that a cost can be granted at all.
   *
   * @throws IllegalArgumentException if {@code cost} is not from 1 to {@link #maxCost}
   */
  default void requireCost(long cost) {
    if (cost < 1 || cost > maxCost()) {
      throw new IllegalArgumentException(
          "cost must be from 1 to %d, not %d".formatted(maxCost(), cost));
    }
  }

  /** A decision and the usage after it. */
  record Step(Usage next, Decision decision) {}
}
