package dev.weir.limits.memory;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Refund;
import dev.weir.limits.RequestBinding;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The grants that are returned again when their request id is repeated, each until its time to live
 * has passed.
 *
 * <p>Ids are distributed over stripes with one lock each, which is held while a request is decided:
 * of two concurrent ones, one is granted and the other repeated. Adding a grant removes the expired
 * ones of its stripe.
 *
 * <p>The number of grants and the memory that they take are bounded, by stripe: a request with a
 * new id that would exceed a bound is rejected before it is decided. Thread-safe.
 */
final class GrantedRequests {
  static final int STRIPES = 64;

  /**
   * The default maximum memory: a share of the heap, because ids are remembered for minutes and
   * their number depends on the callers.
   */
  static final long SHARE_OF_HEAP_BYTES = Runtime.getRuntime().maxMemory() / 4;

  /** The objects of a grant without its id and outcomes, and its entries in map and queue. */
  private static final long GRANT_BYTES = 400;

  private static final long CHAR_BYTES = 2;
  private static final long OUTCOME_BYTES = 48;

  /**
   * A granted request.
   *
   * @param layout the fingerprint of the counters that it used
   */
  private record Grant(
      RequestBinding binding, long layout, AcquireResult result, long expiresAtMicros) {
    String id() {
      return binding.id();
    }

    long bytes() {
      return GrantedRequests.bytes(id(), result.outcomes().size());
    }

    boolean matches(AcquireRequest request) {
      return binding.digest().equals(request.binding().digest());
    }

    AcquireResult resultFor(AcquireRequest request, long nowMicros) {
      Instant now = Micros.instant(nowMicros);
      if (!matches(request)) {
        return AcquireResult.reused(now);
      }
      AcquireResult known =
          layout == request.layout()
              ? result
              : new AcquireResult(List.of(), result.decidedAt(), result.mode());
      return known.replayed(now, binding.note());
    }
  }

  /** Returns an estimate of the memory of a grant. */
  static long bytes(String id, int outcomes) {
    return GRANT_BYTES + CHAR_BYTES * id.length() + OUTCOME_BYTES * outcomes;
  }

  private static final class Stripe {
    final ReentrantLock lock = new ReentrantLock();
    long bytes;
    final Map<String, Grant> grants = new HashMap<>();
    final PriorityQueue<Grant> byExpiry =
        new PriorityQueue<>(Comparator.comparingLong(Grant::expiresAtMicros));

    @Nullable Grant find(String id, long nowMicros) {
      Grant grant = grants.get(id);
      return grant == null || grant.expiresAtMicros() <= nowMicros ? null : grant;
    }

    void add(Grant grant) {
      grants.put(grant.id(), grant);
      byExpiry.add(grant);
      bytes += grant.bytes();
    }

    void remove(Grant grant) {
      grants.remove(grant.id());
      byExpiry.remove(grant);
      bytes -= grant.bytes();
    }

    void removeExpired(long nowMicros) {
      for (Grant first = byExpiry.peek();
          first != null && first.expiresAtMicros() <= nowMicros;
          first = byExpiry.peek()) {
        byExpiry.remove();
        grants.remove(first.id(), first);
        bytes -= first.bytes();
      }
    }
  }

  private final Stripe[] stripes = new Stripe[STRIPES];
  private final long maxPerStripe;
  private final long maxBytesPerStripe;

  /**
   * Creates an empty set of grants.
   *
   * @param max the maximum number of grants
   * @param maxBytes the maximum memory of grants, as estimated
   */
  GrantedRequests(long max, long maxBytes) {
    this.maxPerStripe = Math.ceilDiv(max, STRIPES);
    this.maxBytesPerStripe = maxBytes / STRIPES;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  /** Decides a request that has a request id, unless it was granted before. */
  AcquireResult grantOnce(
      AcquireRequest request,
      Function<AcquireRequest, AcquireResult> decide,
      LongSupplier nowMicros) {
    Stripe stripe = stripe(request.requestId());
    stripe.lock.lock();
    try {
      long now = nowMicros.getAsLong();
      Grant known = stripe.find(request.requestId(), now);
      if (known != null) {
        return known.resultFor(request, now);
      }
      stripe.removeExpired(now);
      requireRoom(stripe, request);
      AcquireResult result = decide.apply(request);
      if (result.isAllowed()) {
        long expiresAtMicros = Micros.ceil(result.decidedAt()) + Micros.floor(request.requestTtl());
        Grant grant = new Grant(request.binding(), request.layout(), result, expiresAtMicros);
        stripe.add(grant);
      }
      return result;
    } finally {
      stripe.lock.unlock();
    }
  }

  private void requireRoom(Stripe stripe, AcquireRequest request) {
    long bytes = stripe.bytes + bytes(request.requestId(), request.parts().size());
    if (stripe.byExpiry.size() >= maxPerStripe || bytes > maxBytesPerStripe) {
      throw StoreException.full("full: too many request ids are remembered");
    }
  }

  /** Returns the result of a request whose id is known. */
  Optional<AcquireResult> recall(AcquireRequest request, long nowMicros) {
    Stripe stripe = stripe(request.requestId());
    stripe.lock.lock();
    try {
      return Optional.ofNullable(stripe.find(request.requestId(), nowMicros))
          .map(grant -> grant.resultFor(request, nowMicros));
    } finally {
      stripe.lock.unlock();
    }
  }

  /**
   * Removes a grant and gives back what it took when it was granted, regardless of the costs in
   * {@code request}.
   *
   * @param giveBack called before the same request can be granted again
   */
  Refund refund(
      AcquireRequest request, long nowMicros, BiConsumer<AcquireRequest, Instant> giveBack) {
    Stripe stripe = stripe(request.requestId());
    stripe.lock.lock();
    try {
      Grant grant = stripe.find(request.requestId(), nowMicros);
      if (grant == null) {
        return Refund.UNKNOWN;
      }
      if (!grant.matches(request)) {
        return Refund.REUSED;
      }
      stripe.remove(grant);
      if (grant.layout() == request.layout()) {
        giveBack.accept(request.grantedAs(grant.result().outcomes()), grant.result().decidedAt());
      }
      return Refund.GIVEN_BACK;
    } finally {
      stripe.lock.unlock();
    }
  }

  private Stripe stripe(String requestId) {
    return stripes[stripeIndex(requestId)];
  }

  static int stripeIndex(String requestId) {
    int hash = requestId.hashCode();
    return (hash ^ (hash >>> 16)) & (STRIPES - 1);
  }
}
