package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.OpenGuard;
import dev.weir.limits.memory.MemoryLimitStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/**
 * Decides whether a caller may proceed now.
 *
 * <pre>{@code
 * Limiter limiter = Limiter.inMemory();
 * Policy api = Policy.of("api", TokenBucket.of(100, Duration.ofSeconds(10)));
 * if (limiter.tryAcquire(api, "user:101")) {
 *   serve();
 * }
 * }</pre>
 *
 * <p>A refusal is a result, not an exception. An unavailable store throws {@link
 * dev.weir.StoreException}, unless it is a {@link Failover}. A closed limiter throws {@link
 * IllegalStateException} in place of a decision. Thread-safe.
 */
public final class Limiter implements AutoCloseable {
  private final LimitStore store;
  private final LimitObserver observer;

  /** Common to all limiters that {@link #observedBy} derives, because they close one store. */
  private final OpenGuard guard;

  private final WaitingCallers waiting;

  private Limiter(
      LimitStore store, LimitObserver observer, OpenGuard guard, WaitingCallers waiting) {
    this.store = store;
    this.observer = observer;
    this.guard = guard;
    this.waiting = waiting;
  }

  /** Returns a limiter that counts in the memory of this process. */
  public static Limiter inMemory() {
    return on(new MemoryLimitStore());
  }

  /** Returns a limiter that counts in the memory of this process, by a clock. */
  public static Limiter inMemory(InstantSource clock) {
    return on(new MemoryLimitStore(requireNonNull(clock, "clock")));
  }

  /** Returns a limiter that counts in a store, which it closes when it is closed. */
  public static Limiter on(LimitStore store) {
    return on(store, new WaitingCallers());
  }

  static Limiter on(LimitStore store, WaitingCallers waiting) {
    return new Limiter(
        requireNonNull(store, "store"), LimitObserver.NONE, new OpenGuard("the limiter"), waiting);
  }

  /** Returns a limiter on the same store that reports to an observer. Both are closed together. */
  public Limiter observedBy(LimitObserver other) {
    return new Limiter(store, requireNonNull(other, "observer"), guard, waiting);
  }

  /** Takes one unit if it is available; the fastest form. */
  public boolean tryAcquire(Policy policy, String key) {
    return tryAcquire(policy, key, 1);
  }

  /** Takes {@code cost} units if they are available. */
  public boolean tryAcquire(Policy policy, String key, long cost) {
    guard.requireOpen();
    boolean isAllowed = store.take(policy, key, cost);
    observer.taken(policy, isAllowed);
    return isAllowed;
  }

  /** Takes one unit if it is available, and returns what is left or when to try again. */
  public Decision acquire(Policy policy, String key) {
    return acquire(policy, key, 1);
  }

  /**
   * Takes {@code cost} units if they are available, and returns what is left or when to try again.
   */
  public Decision acquire(Policy policy, String key, long cost) {
    guard.requireOpen();
    if (store.hasOtherModes()) {
      return acquire(AcquireRequest.of(new LimitRequest(policy, key, cost))).decision();
    }
    Decision decision = store.decide(policy, key, cost);
    observer.decided(policy, decision, AcquireResult.Mode.STORE);
    return decision;
  }

  /** Takes one unit, and waits up to {@code maxWait} for it. */
  public Decision acquire(Policy policy, String key, Duration maxWait) throws InterruptedException {
    return acquire(policy, key, 1, maxWait);
  }

  /**
   * Takes {@code cost} units, and waits up to {@code maxWait} for them. Meant for virtual threads.
   *
   * <p>Callers of this limiter that wait for the same policy and key are served in the order of
   * their arrival. Nothing is taken for a caller that gives up.
   *
   * @return a refusal as soon as it is certain that the wait would be longer than {@code maxWait}
   *     unless units are given back
   * @throws InterruptedException if the caller is interrupted while waiting; nothing was taken
   */
  public Decision acquire(Policy policy, String key, long cost, Duration maxWait)
      throws InterruptedException {
    return acquire(AcquireRequest.of(new LimitRequest(policy, key, cost)), maxWait).decision();
  }

  /** Takes all units that are requested, of different limits or keys, or nothing. */
  public AcquireResult acquire(LimitRequest... parts) {
    return acquire(AcquireRequest.all(parts));
  }

  /** Takes everything that is requested, or nothing. */
  public AcquireResult acquire(AcquireRequest request) {
    guard.requireOpen();
    return observed(request, store.decide(request));
  }

  /**
   * Takes everything that is requested, and waits up to {@code maxWait} for it; see {@link
   * #acquire(Policy, String, long, Duration)}. Callers wait behind those that request the same
   * limits and keys.
   */
  public AcquireResult acquire(AcquireRequest request, Duration maxWait)
      throws InterruptedException {
    return waiting.acquire(request, maxWait, () -> acquire(request));
  }

  /** Returns the decision that {@link #acquire(Policy, String)} would make. Takes nothing. */
  public Decision peek(Policy policy, String key) {
    return peek(AcquireRequest.of(LimitRequest.of(policy, key))).decision();
  }

  /** Returns the result that {@link #acquire(AcquireRequest)} would return. Takes nothing. */
  public AcquireResult peek(AcquireRequest request) {
    guard.requireOpen();
    return store.peek(request);
  }

  /** Gives back what a request was granted, because the work was not done after all. */
  public Refund refund(AcquireRequest request, AcquireResult granted) {
    return granted.isAllowed() ? store.refund(request, granted) : Refund.UNKNOWN;
  }

  /**
   * Settles what all keys have used of a policy whose window or rate has changed: the past counts
   * by the former numbers, the time from now on by those of {@code policy}. Call it once all
   * callers use the new policy; a key of which nothing is requested in the meantime is otherwise
   * settled too late, or forgotten when its former window ends. May be repeated.
   *
   * @throws dev.weir.StoreException if the store is unavailable; repeat the call then
   */
  public void settle(Policy policy) {
    store.settle(policy);
  }

  /** Settles what one key has used, see {@link #settle(Policy)}. */
  public void settle(Policy policy, String key) {
    store.settle(policy, key);
  }

  /** Deletes the usage of a key. */
  public void forget(Policy policy, String key) {
    store.forget(policy, key);
  }

  /** Returns what a key has used, as it was last written. */
  public Usage usage(Policy policy, String key) {
    return store.usage(policy, key);
  }

  private AcquireResult observed(AcquireRequest request, AcquireResult result) {
    if (result.isReplayed()) {
      observer.replayed();
      return result;
    }
    List<Outcome> outcomes = result.outcomes();
    for (int i = 0; i < outcomes.size(); i++) {
      observer.decided(request.parts().get(i).policy(), outcomes.get(i), result.mode());
    }
    return result;
  }

  /** Closes the store. Nothing is granted from then on. */
  @Override
  public void close() {
    guard.close();
    store.close();
  }
}
