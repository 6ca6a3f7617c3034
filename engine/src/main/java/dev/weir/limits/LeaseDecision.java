package dev.weir.limits;

import dev.weir.internal.Micros;
import java.time.Duration;

/** The result of a lease operation on a {@link Concurrency} or a {@link Queue}. */
public sealed interface LeaseDecision {
  /** Returns the places held by all holders right after this decision; 0 if unknown. */
  int current();

  /** Returns true if the caller may proceed: it holds its lease, or is admitted without one. */
  default boolean isGranted() {
    return this instanceof Held || this instanceof Unchecked;
  }

  /** The result of acquiring a lease, or a place in a queue. */
  sealed interface Acquisition extends LeaseDecision {}

  /** The result of renewing a lease. */
  sealed interface Renewal extends LeaseDecision {}

  /** The result of ending a lease. */
  sealed interface Release extends LeaseDecision {}

  /** The lease is held until its time to live has passed. */
  record Held(Lease lease, int current) implements Acquisition, Renewal, Release {}

  /**
   * Too few places are free, and nothing was taken.
   *
   * @param retryAfterMicros the time after which enough leases have expired if none is renewed
   */
  record Full(int current, long retryAfterMicros) implements Acquisition {
    public Duration retryAfter() {
      return Micros.duration(retryAfterMicros);
    }
  }

  /** The lease does not exist, or no longer exists. */
  record Gone(int current) implements Renewal, Release {}

  /**
   * The lease store does not respond. No lease was granted, and a lease that is held lasts until it
   * expires.
   *
   * @param retryAfterMicros the time after which the store is tried again
   * @param mayBeDone true if the store may have executed the request because only its response is
   *     missing; false if the request was not sent
   */
  record Unavailable(long retryAfterMicros, boolean mayBeDone)
      implements Acquisition, Renewal, Release {
    @Override
    public int current() {
      return 0;
    }

    public Duration retryAfter() {
      return Micros.duration(retryAfterMicros);
    }
  }

  /**
   * The lease store does not respond and the caller is admitted anyway. This lease is not counted
   * anywhere.
   */
  record Unchecked(Lease lease) implements Acquisition, Renewal {
    @Override
    public int current() {
      return 0;
    }
  }
}
