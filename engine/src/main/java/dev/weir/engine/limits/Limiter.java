package dev.weir.engine.limits;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Outcome;
import dev.weir.engine.limits.memory.MemoryLimitStore;
import java.util.List;

/**
 * Says whether something may pass now.
 *
 * <pre>{@code
 * Limiter limiter = Limiter.inMemory();
 * Policy api = Policy.of("api", TokenBucket.of(100, Duration.ofSeconds(10)));
 * if (limiter.tryAcquire(api, "user:101")) {
 *   serve();
 * }
 * }</pre>
 *
 * <p>A refusal is an answer, not an exception. A store that is gone throws {@link
 * dev.weir.engine.StoreException}, unless it is a {@link Failover}. Thread-safe.
 */
public final class Limiter implements AutoCloseable {
  private final LimitStore store;
  private final LimitObserver observer;

  private Limiter(LimitStore store, LimitObserver observer) {
    this.store = store;
    this.observer = observer;
  }

  /** A limiter that counts in the memory of this process. */
  public static Limiter inMemory() {
    return on(new MemoryLimitStore());
  }

  /** A limiter that counts in a store, which it closes when it is closed. */
  public static Limiter on(LimitStore store) {
    return new Limiter(store, LimitObserver.NONE);
  }

  /** The same limiter, watched. */
  public Limiter observedBy(LimitObserver other) {
    return new Limiter(store, other);
  }

  /** Takes one, if there is one: the quickest form. */
  public boolean tryAcquire(Policy policy, String key) {
    return tryAcquire(policy, key, 1);
  }

  /** Takes so many, if there are so many. */
  public boolean tryAcquire(Policy policy, String key, long cost) {
    boolean isAllowed = store.take(policy, key, cost);
    observer.taken(policy, isAllowed);
    return isAllowed;
  }

  /** Takes one, if there is one, and says what is left or when to come again. */
  public Decision acquire(Policy policy, String key) {
    return acquire(policy, key, 1);
  }

  /** Takes so many, if there are so many, and says what is left or when to come again. */
  public Decision acquire(Policy policy, String key, long cost) {
    if (store.mayStandIn()) {
      return acquire(AcquireRequest.of(new LimitRequest(policy, key, cost))).decision();
    }
    Decision decision = store.decide(policy, key, cost);
    observer.decided(policy, decision, AcquireResult.Mode.STORE);
    return decision;
  }

  /** Takes all that is asked, or nothing. */
  public AcquireResult acquire(AcquireRequest demand) {
    return observed(demand, store.decide(demand));
  }

  /** What {@link #acquire} would say. Takes nothing. */
  public Decision peek(Policy policy, String key) {
    return store.peek(AcquireRequest.of(LimitRequest.of(policy, key))).decision();
  }

  /** What {@link #acquire} would say. Takes nothing. */
  public AcquireResult peek(AcquireRequest demand) {
    return store.peek(demand);
  }

  /** Gives back what a demand was granted, because the work was not done after all. */
  public Refund refund(AcquireRequest demand, AcquireResult granted) {
    return granted.isAllowed() ? store.refund(demand, granted) : Refund.UNKNOWN;
  }

  /** Forgets what a key has used. */
  public void forget(Policy policy, String key) {
    store.forget(policy, key);
  }

  private AcquireResult observed(AcquireRequest demand, AcquireResult answer) {
    if (answer.isReplayed()) {
      observer.replayed();
      return answer;
    }
    List<Outcome> outcomes = answer.outcomes();
    for (int i = 0; i < outcomes.size(); i++) {
      observer.decided(demand.asks().get(i).policy(), outcomes.get(i), answer.mode());
    }
    return answer;
  }

  @Override
  public void close() {
    store.close();
  }
}
