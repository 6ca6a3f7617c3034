package dev.weir.engine.limits.memory;

import dev.weir.core.Micros;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.Refund;
import dev.weir.engine.limits.RequestBinding;
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
 * ones of its stripe. Thread-safe.
 */
final class GrantedRequests {
  private static final int STRIPES = 64;

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

    boolean matches(AcquireRequest request) {
      return binding.digest().equals(request.request().digest());
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

  private static final class Stripe {
    final ReentrantLock lock = new ReentrantLock();
    final Map<String, Grant> grants = new HashMap<>();
    final PriorityQueue<Grant> byExpiry =
        new PriorityQueue<>(Comparator.comparingLong(Grant::expiresAtMicros));

    @Nullable Grant find(String id, long nowMicros) {
      Grant grant = grants.get(id);
      return grant == null || grant.expiresAtMicros() <= nowMicros ? null : grant;
    }

    void removeExpired(long nowMicros) {
      for (Grant first = byExpiry.peek();
          first != null && first.expiresAtMicros() <= nowMicros;
          first = byExpiry.peek()) {
        byExpiry.remove();
        grants.remove(first.id(), first);
      }
    }
  }

  private final Stripe[] stripes = new Stripe[STRIPES];
  private final long maxPerStripe;

  GrantedRequests(long max) {
    this.maxPerStripe = Math.ceilDiv(max, STRIPES);
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
      if (stripe.byExpiry.size() >= maxPerStripe) {
        throw StoreException.full("full: too many request ids are remembered");
      }
      AcquireResult result = decide.apply(request);
      if (result.isAllowed()) {
        long expiresAtMicros = Micros.ceil(result.decidedAt()) + Micros.floor(request.requestTtl());
        Grant grant = new Grant(request.request(), request.layout(), result, expiresAtMicros);
        stripe.grants.put(grant.id(), grant);
        stripe.byExpiry.add(grant);
      }
      return result;
    } finally {
      stripe.lock.unlock();
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
      stripe.grants.remove(grant.id());
      stripe.byExpiry.remove(grant);
      if (grant.layout() == request.layout()) {
        giveBack.accept(request.grantedAs(grant.result().outcomes()), grant.result().decidedAt());
      }
      return Refund.GIVEN_BACK;
    } finally {
      stripe.lock.unlock();
    }
  }

  private Stripe stripe(String requestId) {
    int hash = requestId.hashCode();
    return stripes[(hash ^ (hash >>> 16)) & (STRIPES - 1)];
  }
}
