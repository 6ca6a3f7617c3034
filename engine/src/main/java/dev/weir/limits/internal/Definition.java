package dev.weir.limits.internal;

import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseHistory;
import java.time.Instant;
import java.util.Optional;

/**
 * The limit that is defined for a resource.
 *
 * @param heldUntil when the last lease that was granted with a former, longer time to live ends;
 *     {@link #NEVER_LONGER} if there was none, and for limits without leases
 */
public record Definition<L>(
    String resource, L limit, Instant createdAt, Instant updatedAt, Instant heldUntil) {
  /** The earliest time that every store can hold. */
  public static final Instant NEVER_LONGER = Micros.instant(Micros.EARLIEST);

  /** Returns the definition that replaces this one. */
  Definition<L> next(L changed, Instant now) {
    return new Definition<>(resource, changed, createdAt, now, heldUntilAfter(changed, now));
  }

  private Instant heldUntilAfter(L changed, Instant now) {
    if (limit instanceof Concurrency former
        && changed instanceof Concurrency next
        && next.ttlMicros() < former.ttlMicros()) {
      Instant ended = now.plus(Micros.duration(former.ttlMicros()));
      return ended.isAfter(heldUntil) ? ended : heldUntil;
    }
    return heldUntil;
  }

  public LeaseHistory leaseHistory() {
    return new LeaseHistory(
        Optional.of(createdAt), Optional.of(heldUntil).filter(time -> !time.equals(NEVER_LONGER)));
  }
}
