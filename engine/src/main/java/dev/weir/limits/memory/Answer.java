package dev.weir.limits.memory;

import dev.weir.limits.Decision;

/**
 * Makes the answer to a caller from a decision.
 *
 * @param <R> the answer
 */
@FunctionalInterface
interface Answer<R> {
  /**
   * Returns the answer.
   *
   * @param nowMicros the time by which it was decided
   */
  R of(Decision decision, long nowMicros);
}
