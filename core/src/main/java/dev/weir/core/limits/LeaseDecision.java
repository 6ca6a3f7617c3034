package dev.weir.core.limits;

import dev.weir.core.Micros;
import java.time.Duration;

/** What a {@link Concurrency} says to a holder. */
public sealed interface LeaseDecision {
  /** The places that are held by all, right after this decision; zero if that is not known. */
  int current();

  /** Whether the caller may go on: it has its lease, or is let pass without one. */
  default boolean isGranted() {
    return this instanceof Held || this instanceof Unchecked;
  }

  /** The lease is held until its time to live is over. */
  record Held(Lease lease, int current) implements LeaseDecision {}

  /**
   * Not enough places are free, and nothing was taken.
   *
   * @param retryAfterMicros after this time enough leases have ended, if none is renewed
   */
  record Full(int current, long retryAfterMicros) implements LeaseDecision {
    public Duration retryAfter() {
      return Micros.duration(retryAfterMicros);
    }
  }

  /** There is no such lease, or not any more. */
  record Gone(int current) implements LeaseDecision {}

  /**
   * The store of leases does not answer: nothing was given, and a lease that is held lasts until
   * its time is over.
   *
   * @param retryAfterMicros after this time the store is tried again
   * @param mayBeDone whether the store may have done what was asked, because only its answer is
   *     missing; false if it was not asked
   */
  record Unavailable(long retryAfterMicros, boolean mayBeDone) implements LeaseDecision {
    @Override
    public int current() {
      return 0;
    }

    public Duration retryAfter() {
      return Micros.duration(retryAfterMicros);
    }
  }

  /** The store of leases does not answer, and the caller is let pass; no one counts this lease. */
  record Unchecked(Lease lease) implements LeaseDecision {
    @Override
    public int current() {
      return 0;
    }
  }
}
