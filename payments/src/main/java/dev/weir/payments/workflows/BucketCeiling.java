package dev.weir.payments.workflows;

import dev.weir.limits.Decision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.spec.RuleName;
import java.util.concurrent.CompletableFuture;

/**
 * A smooth ceiling: calls start at an even rate, and no more than {@code max} are permitted within
 * any second.
 *
 * <p>A bucket lets its capacity and a second's refill through in its worst second, so the two add
 * up to {@code max}. It cannot promise when calls <em>arrive</em>: those that were permitted in
 * time can arrive together after a pause of the process or the network. {@link LeaseCeiling} can.
 */
public final class BucketCeiling implements Ceiling {
  private static final long MICROS_PER_SECOND = 1_000_000;

  /** No rule can have it. */
  private static final String POLICY = RuleName.RESERVED_PREFIX + "payments";

  private final Limiter limiter;
  private final String downstream;
  private final Policy policy;
  private final WaitingLine line;

  /**
   * @param leases where callers wait
   * @param downstream the name of the downstream in both stores
   * @param max maximum number of permitted calls within any second; at least 2
   */
  public BucketCeiling(Limiter limiter, LeaseStore leases, String downstream, int max) {
    if (max < 2) {
      throw new IllegalArgumentException("max must be at least 2, not " + max);
    }
    int capacity = Math.max(1, max / 10);
    int perSecond = max - capacity;
    this.limiter = limiter;
    this.downstream = downstream;
    this.policy = Policy.of(POLICY, new TokenBucket(capacity, perSecond, MICROS_PER_SECOND));
    this.line = new WaitingLine(leases, downstream + "/line", MICROS_PER_SECOND / perSecond);
  }

  @Override
  public Admission enter(String paymentId) {
    return switch (limiter.acquire(policy, downstream)) {
      case Decision.Allowed allowed -> new Token();
      case Decision.Refused refused -> new Wait(line.join(paymentId).plus(refused.retryAfter()));
    };
  }

  /** A token is spent, whatever becomes of the call. */
  private record Token() implements Permit {
    @Override
    public boolean isValid() {
      return true;
    }

    @Override
    public void answered(boolean isDecided) {}

    @Override
    public void unanswered(CompletableFuture<Boolean> end) {
      end.cancel(false);
    }

    @Override
    public void unused() {}
  }
}
