package dev.weir.client;

import java.time.Duration;

/** The result of an attempt to take tokens from the bucket of a resource. */
public sealed interface TakeResult {
  /**
   * The tokens are taken.
   *
   * @param reset the time until the bucket is full
   */
  record Taken(long remaining, Duration reset, Mode mode) implements TakeResult {}

  /**
   * Fewer tokens are there, and none was taken.
   *
   * @param retryAfter the time after which as many are there if none is taken until then
   */
  record Insufficient(long available, Duration retryAfter, Problem problem) implements TakeResult {}

  /** There is no decision; see {@link CheckResult.Undecided}. */
  record Undecided(WeirException failure) implements TakeResult {
    /** Returns {@link Outcome#UNKNOWN} if the tokens may have been taken. */
    public Outcome outcome() {
      return failure.outcome();
    }
  }
}
