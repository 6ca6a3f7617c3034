package dev.weir.core.limits;

import dev.weir.core.Micros;
import java.time.Duration;

/** What a {@link Concurrency} says to a holder. */
public sealed interface LeaseDecision {
  /** The places that are held by all, right after this decision. */
  int current();

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
}
