package dev.weir.limits;

import dev.weir.internal.Micros;
import java.time.Instant;

/** Places that a holder occupies until it releases them or until the lease expires. */
public record Lease(String id, int places, long expiresAtMicros) {
  /** Returns the time at which the lease expires, by the clock of its store. */
  public Instant expiresAt() {
    return Micros.instant(expiresAtMicros);
  }
}
