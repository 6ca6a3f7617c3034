package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.Micros;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known about the leases that a resource may have granted, for a store that has lost them.
 *
 * @param createdAt when the resource was created: a store that lost its leases earlier can have
 *     lost none of it; empty if unknown
 * @param heldUntil when the last lease that was granted with a former, longer time to live ends;
 *     empty if there was none
 */
public record LeaseHistory(Optional<Instant> createdAt, Optional<Instant> heldUntil) {
  /** Nothing is known: leases may have been granted at any time, by the limit of the request. */
  public static final LeaseHistory UNKNOWN = new LeaseHistory(Optional.empty(), Optional.empty());

  public LeaseHistory {
    requireNonNull(createdAt, "createdAt");
    requireNonNull(heldUntil, "heldUntil");
  }

  /** Returns the history of a resource whose time to live was never longer. */
  public static LeaseHistory since(Instant createdAt) {
    return new LeaseHistory(Optional.of(createdAt), Optional.empty());
  }

  /** Returns this history of a resource whose leases may be held until a time. */
  public LeaseHistory heldUntil(Instant time) {
    return new LeaseHistory(createdAt, Optional.of(time));
  }

  public long createdAtMicros() {
    return createdAt.map(Micros::clamped).orElse(Micros.EARLIEST);
  }

  public long heldUntilMicros() {
    return heldUntil.map(Micros::clamped).orElse(Micros.EARLIEST);
  }
}
