package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.Micros;
import java.time.Instant;

/**
 * What is known about the leases that a resource may have granted, for a store that has lost them.
 *
 * @param createdAt when the resource was created: a store that lost its leases earlier can have
 *     lost none of it; {@link Instant#MIN} if unknown
 * @param heldUntil when the last lease that was granted with a former, longer time to live ends;
 *     {@link Instant#MIN} if there was none
 */
public record LeaseHistory(Instant createdAt, Instant heldUntil) {
  /** Nothing is known: leases may have been granted at any time, by the limit of the request. */
  public static final LeaseHistory UNKNOWN = since(Instant.MIN);

  public LeaseHistory {
    requireNonNull(createdAt, "createdAt");
    requireNonNull(heldUntil, "heldUntil");
  }

  /** Returns the history of a resource whose time to live was never longer. */
  public static LeaseHistory since(Instant createdAt) {
    return new LeaseHistory(createdAt, Instant.MIN);
  }

  public long createdAtMicros() {
    return Micros.clamped(createdAt);
  }

  public long heldUntilMicros() {
    return Micros.clamped(heldUntil);
  }
}
