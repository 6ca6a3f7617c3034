package dev.weir.client;

import java.time.Duration;

/** The result of an attempt to acquire a lease of a resource. */
public sealed interface LeaseResult {
  /** The lease is held until it is released or expires. */
  record Acquired(Lease lease) implements LeaseResult {}

  /**
   * All places are taken.
   *
   * @param retryAfter the time after which enough leases have expired if none is renewed
   */
  record Full(long current, long max, Duration retryAfter, Problem problem)
      implements LeaseResult {}

  /**
   * There is no decision; see {@link CheckResult.Undecided}. If its outcome is unknown, places may
   * be taken until their time to live has passed.
   */
  record Undecided(WeirException failure) implements LeaseResult {
    /** Returns {@link Outcome#UNKNOWN} if places may have been taken. */
    public Outcome outcome() {
      return failure.outcome();
    }
  }
}
