package dev.weir.payments.server.node;

import dev.weir.PartOwnership;
import dev.weir.payments.workflows.Ceiling;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * A ceiling that permits a call only while this node owns the payments of its database. A node that
 * lost them, because its connections broke or it was suspended, must not go on beside the next
 * owner. Thread-safe.
 */
final class OwnersCeiling implements Ceiling {
  /** The runtime ends what waits here within a round. */
  private static final Duration WAIT = Duration.ofMinutes(1);

  /** A permit that is used later asks again: the process may have been suspended since. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  private final PartOwnership ownership;
  private final Ceiling ceiling;
  private final LongSupplier nanoTime;

  OwnersCeiling(PartOwnership ownership, Ceiling ceiling, LongSupplier nanoTime) {
    this.ownership = ownership;
    this.ceiling = ceiling;
    this.nanoTime = nanoTime;
  }

  @Override
  public Admission enter(String paymentId) {
    long askedNanos = nanoTime.getAsLong();
    if (!ownership.isOwner()) {
      return new Wait(WAIT);
    }
    return switch (ceiling.enter(paymentId)) {
      case Wait wait -> wait;
      case Permit permit -> new OwnersPermit(permit, askedNanos);
    };
  }

  private final class OwnersPermit implements Permit {
    private final Permit permit;
    private final long askedNanos;

    OwnersPermit(Permit permit, long askedNanos) {
      this.permit = permit;
      this.askedNanos = askedNanos;
    }

    @Override
    public boolean isValid() {
      boolean isFresh = nanoTime.getAsLong() - askedNanos < FRESH.toNanos();
      return (isFresh || ownership.isOwner()) && permit.isValid();
    }

    @Override
    public void answered(boolean isDecided) {
      permit.answered(isDecided);
    }

    @Override
    public void unanswered(CompletableFuture<Boolean> end) {
      permit.unanswered(end);
    }

    @Override
    public void unused() {
      permit.unused();
    }
  }
}
