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
 * Grants that are answered again when their request id is repeated, each until its time is over.
 *
 * <p>Ids are spread over stripes with a lock each, which is held while a demand is decided: of two
 * that come at the same time one is granted, the other repeated. Whoever remembers a new one
 * forgets those before it that are over. Thread-safe.
 */
final class GrantedRequests {
  private static final int STRIPES = 64;

  /**
   * A demand that was granted.
   *
   * @param layout where its asks counted
   */
  private record Grant(
      RequestBinding request, long layout, AcquireResult answer, long forgetAtMicros) {
    String id() {
      return request.id();
    }

    boolean isOf(AcquireRequest demand) {
      return request.digest().equals(demand.request().digest());
    }

    AcquireResult answerTo(AcquireRequest demand, long nowMicros) {
      Instant now = Micros.instant(nowMicros);
      if (!isOf(demand)) {
        return AcquireResult.reused(now);
      }
      AcquireResult known =
          layout == demand.layout()
              ? answer
              : new AcquireResult(List.of(), answer.decidedAt(), answer.mode());
      return known.replayed(now, request.note());
    }
  }

  private static final class Stripe {
    final ReentrantLock lock = new ReentrantLock();
    final Map<String, Grant> grants = new HashMap<>();
    final PriorityQueue<Grant> byEnd =
        new PriorityQueue<>(Comparator.comparingLong(Grant::forgetAtMicros));

    @Nullable Grant find(String id, long nowMicros) {
      Grant grant = grants.get(id);
      return grant == null || grant.forgetAtMicros() <= nowMicros ? null : grant;
    }

    void forgetEnded(long nowMicros) {
      for (Grant first = byEnd.peek();
          first != null && first.forgetAtMicros() <= nowMicros;
          first = byEnd.peek()) {
        byEnd.remove();
        grants.remove(first.id(), first);
      }
    }
  }

  private final Stripe[] stripes = new Stripe[STRIPES];
  private final long mostPerStripe;

  GrantedRequests(long most) {
    this.mostPerStripe = Math.ceilDiv(most, STRIPES);
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  /** Decides a demand that has a request id, unless it was granted before. */
  AcquireResult grantOnce(
      AcquireRequest demand,
      Function<AcquireRequest, AcquireResult> decide,
      LongSupplier nowMicros) {
    Stripe stripe = stripe(demand.requestId());
    stripe.lock.lock();
    try {
      long now = nowMicros.getAsLong();
      Grant known = stripe.find(demand.requestId(), now);
      if (known != null) {
        return known.answerTo(demand, now);
      }
      stripe.forgetEnded(now);
      if (stripe.byEnd.size() >= mostPerStripe) {
        throw StoreException.full("full: too many request ids are remembered");
      }
      AcquireResult answer = decide.apply(demand);
      if (answer.isAllowed()) {
        long forgetAtMicros = Micros.ceil(answer.decidedAt()) + Micros.floor(demand.requestTtl());
        Grant grant = new Grant(demand.request(), demand.layout(), answer, forgetAtMicros);
        stripe.grants.put(grant.id(), grant);
        stripe.byEnd.add(grant);
      }
      return answer;
    } finally {
      stripe.lock.unlock();
    }
  }

  /** The answer to a demand whose request id is known. */
  Optional<AcquireResult> recall(AcquireRequest demand, long nowMicros) {
    Stripe stripe = stripe(demand.requestId());
    stripe.lock.lock();
    try {
      return Optional.ofNullable(stripe.find(demand.requestId(), nowMicros))
          .map(grant -> grant.answerTo(demand, nowMicros));
    } finally {
      stripe.lock.unlock();
    }
  }

  /**
   * Forgets a grant, and gives back what it took when it was granted, whatever the demand says.
   *
   * @param giveBack called before anybody can be granted the same request anew
   */
  Refund refund(
      AcquireRequest demand, long nowMicros, BiConsumer<AcquireRequest, Instant> giveBack) {
    Stripe stripe = stripe(demand.requestId());
    stripe.lock.lock();
    try {
      Grant grant = stripe.find(demand.requestId(), nowMicros);
      if (grant == null) {
        return Refund.UNKNOWN;
      }
      if (!grant.isOf(demand)) {
        return Refund.REUSED;
      }
      stripe.grants.remove(grant.id());
      stripe.byEnd.remove(grant);
      if (grant.layout() == demand.layout()) {
        giveBack.accept(demand.grantedAs(grant.answer().outcomes()), grant.answer().decidedAt());
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
