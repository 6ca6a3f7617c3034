package dev.weir.engine.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Limit;
import dev.weir.engine.StoreException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
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

  private record Grant(String id, Answer answer, long forgetAtMicros) {}

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
  Answer grantOnce(
      Demand<? extends Limit> demand,
      Function<Demand<? extends Limit>, Answer> decide,
      LongSupplier nowMicros) {
    Stripe stripe = stripe(demand.requestId());
    stripe.lock.lock();
    try {
      long now = nowMicros.getAsLong();
      Grant known = stripe.find(demand.requestId(), now);
      if (known != null) {
        Answer first = known.answer();
        return new Answer(first.decisions(), first.decidedAt(), first.mode(), true);
      }
      stripe.forgetEnded(now);
      if (stripe.byEnd.size() >= mostPerStripe) {
        throw new StoreException(
            StoreException.Outcome.NONE, "full: too many request ids are remembered");
      }
      Answer answer = decide.apply(demand);
      if (answer.isAllowed()) {
        long forgetAtMicros = Micros.ceil(answer.decidedAt()) + Micros.floor(demand.requestTtl());
        Grant grant = new Grant(demand.requestId(), answer, forgetAtMicros);
        stripe.grants.put(grant.id(), grant);
        stripe.byEnd.add(grant);
      }
      return answer;
    } finally {
      stripe.lock.unlock();
    }
  }

  /** Forgets a grant; false if it is not known (any more). */
  boolean forget(String requestId, long nowMicros) {
    Stripe stripe = stripe(requestId);
    stripe.lock.lock();
    try {
      boolean isKnown = stripe.find(requestId, nowMicros) != null;
      Grant grant = stripe.grants.remove(requestId);
      if (grant != null) {
        stripe.byEnd.remove(grant);
      }
      return isKnown;
    } finally {
      stripe.lock.unlock();
    }
  }

  private Stripe stripe(String requestId) {
    int hash = requestId.hashCode();
    return stripes[(hash ^ (hash >>> 16)) & (STRIPES - 1)];
  }
}
