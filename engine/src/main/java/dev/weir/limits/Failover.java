package dev.weir.limits;

import dev.weir.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A limit store that still responds while the underlying store is unavailable, as each policy
 * defines with {@link OnStoreFailure}. The result names the mode. If a request has several
 * policies, the strictest applies.
 *
 * <p>The maximum that may pass beyond a limit:
 *
 * <ul>
 *   <li>{@link OnStoreFailure#CLOSED}: nothing. A store that comes back without its counts must
 *       detect that itself, see {@link LimitStore}.
 *   <li>{@link OnStoreFailure#FALLBACK}: nothing, if all nodes lose the store and recover it
 *       together. Neither store has the grants of the other, so after each switch, in both
 *       directions, a node refuses until all possible grants have expired: the length of a window
 *       (two of a sliding one), or the time in which an empty bucket fills. On the way back it does
 *       so only if it has called the other store, or has seen the store fail and finds in the
 *       {@link FallbackLog} that another node has; {@link #watch} shows failures to a node without
 *       requests. With long windows that is long; {@code LOCAL} answers immediately. While some
 *       nodes have lost the store and others have not, each of the two stores grants up to the
 *       limit: a whole limit beyond.
 *   <li>{@link OnStoreFailure#LOCAL}: a whole limit (all nodes' shares) at the failure, and a whole
 *       limit at the recovery of a store that lost its counts; more if the configured number of
 *       nodes is less than the actual one.
 *   <li>{@link OnStoreFailure#OPEN}: everything that arrives while the store is unavailable.
 * </ul>
 *
 * <p>A call that fails before the breaker opens results in {@link AcquireResult.Mode#CLOSED} under
 * {@code FALLBACK}: a transient failure does not switch stores.
 *
 * <pre>{@code
 * LimitStore store =
 *     Failover.of(redis).named("redis").fallback(postgresql).nodes(3).observer(metrics).build();
 * }</pre>
 *
 * <p>If the response of a store was lost, a refusal says {@link AcquireResult#isOutcomeUnknown}:
 * the store may have counted the request, and its caller finds out with the same request id.
 * Thread-safe.
 */
public final class Failover implements LimitStore {
  /** With the reserved prefix, so that no rule has its name. */
  private static final Policy WATCH =
      Policy.of("weir:watch", FixedWindow.of(1, Duration.ofSeconds(1)));

  private final GuardedStore<LimitStore> store;
  private final FallbackSwitch fallbackSwitch;
  private final StoreSubstitute substitute;

  Failover(
      GuardedStore<LimitStore> store, FallbackSwitch fallbackSwitch, StoreSubstitute substitute) {
    this.store = store;
    this.fallbackSwitch = fallbackSwitch;
    this.substitute = substitute;
  }

  /** Returns a builder of a failover for this store, which is closed with it. */
  public static FailoverBuilder of(LimitStore store) {
    return new FailoverBuilder(store);
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    return run(StoreSubstitute.Operation.DECIDE, request);
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    return run(StoreSubstitute.Operation.PEEK, request);
  }

  /**
   * Returns the recorded result from the store; if it is unavailable, from the local counters under
   * {@link OnStoreFailure#LOCAL}.
   *
   * @throws StoreException if the store is unavailable and the local counters have no record: the
   *     id may still be known to the store
   */
  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    StoreException failure;
    if (isAvailable(request)) {
      try {
        return store.call(reached -> reached.recall(request), recalled -> false);
      } catch (StoreException e) {
        failure = e;
      }
    } else {
      failure = store.unavailable();
    }
    Optional<AcquireResult> local = substitute.recall(request);
    if (local.isEmpty()) {
      throw failure;
    }
    return local;
  }

  @Override
  public boolean take(Policy policy, String key, long cost) {
    if (isExceptional(policy)) {
      return decide(AcquireRequest.of(new LimitRequest(policy, key, cost))).isAllowed();
    }
    try {
      return store.call(reached -> reached.take(policy, key, cost), isTaken -> isTaken);
    } catch (StoreException e) {
      return without(policy, key, cost).isAllowed();
    }
  }

  @Override
  public Decision decide(Policy policy, String key, long cost) {
    if (isExceptional(policy)) {
      return decide(AcquireRequest.of(new LimitRequest(policy, key, cost))).decision();
    }
    try {
      return store.call(reached -> reached.decide(policy, key, cost), Decision::isAllowed);
    } catch (StoreException e) {
      return without(policy, key, cost);
    }
  }

  private Decision without(Policy policy, String key, long cost) {
    return substitute
        .run(
            StoreSubstitute.Operation.DECIDE,
            AcquireRequest.of(new LimitRequest(policy, key, cost)))
        .decision();
  }

  /** Returns true if the store has failed, or may lack grants of the fallback. */
  private boolean isExceptional(Policy policy) {
    // The breaker comes first: the fallback is used only while it is open.
    return store.breaker().isOpen()
        || (policy.onStoreFailure() == OnStoreFailure.FALLBACK && fallbackSwitch.mayBeUsed());
  }

  /**
   * Returns true if the store may lack grants of the fallback for this request. A single fallback
   * policy is sufficient: the strictest one applies only while the store is unavailable.
   */
  private boolean mayLackGrants(AcquireRequest request) {
    return fallbackSwitch.mayBeUsed()
        && request.parts().stream()
            .anyMatch(part -> part.policy().onStoreFailure() == OnStoreFailure.FALLBACK);
  }

  private AcquireResult run(StoreSubstitute.Operation operation, AcquireRequest request) {
    if (!isAvailable(request)) {
      return substitute.run(operation, request);
    }
    if (mayLackGrants(request)) {
      long lacksMicros = fallbackSwitch.storeLacksMicros(request);
      if (lacksMicros > 0) {
        return substitute.refused(request, lacksMicros);
      }
    }
    try {
      return store.call(
          reached -> operation.run(reached, request),
          result -> operation == StoreSubstitute.Operation.DECIDE && result.isAllowed());
    } catch (StoreException e) {
      AcquireResult result = substitute.run(operation, request);
      return result.isAllowed() ? result : result.afterFailure(e);
    }
  }

  /** Returns true if the store may be called: its breaker is closed, or it has recovered. */
  private boolean isAvailable(AcquireRequest request) {
    return !store.breaker().isOpen() || hasRecovered(request);
  }

  /**
   * Returns true if a store whose breaker is open has recovered. One caller at a time probes it,
   * and not with its own request: if a store still responds to reads, these would close the
   * breaker, the next writes would open it again, and so on.
   */
  private boolean hasRecovered(AcquireRequest request) {
    return store.breaker().mayTry() && isWorking(request);
  }

  private boolean isWorking(AcquireRequest request) {
    try {
      return store.call(
          reached -> {
            reached.probe(request);
            return true;
          },
          isProbed -> isProbed);
    } catch (StoreException e) {
      return false;
    }
  }

  /**
   * Writes to the store without counting anything, so that a node without requests notices as well
   * that the store fails, and other nodes may use the fallback. Call it every second if several
   * nodes share a store that has a fallback.
   */
  public void watch() {
    // Another key each time: the servers of a store may fail one by one.
    String key = Long.toHexString(ThreadLocalRandom.current().nextLong());
    AcquireRequest request = AcquireRequest.of(LimitRequest.of(WATCH, key));
    var unused = store.breaker().isOpen() ? hasRecovered(request) : isWorking(request);
  }

  /** Refunds to the store. Throws if it is unavailable; then nothing is refunded. */
  @Override
  public Refund refund(AcquireRequest request, Instant grantedAt) {
    return refund(request, new AcquireResult(List.of(), grantedAt, AcquireResult.Mode.STORE));
  }

  /** Refunds to the store that made the grant. */
  @Override
  public Refund refund(AcquireRequest request, AcquireResult granted) {
    return switch (granted.mode()) {
      case STORE ->
          required(
              request,
              reached -> reached.refund(request, granted.decidedAt()),
              refund -> refund == Refund.GIVEN_BACK);
      case FALLBACK, LOCAL, OPEN, CLOSED -> substitute.refund(request, granted);
    };
  }

  @Override
  public Usage usage(Policy policy, String key) {
    return required(
        AcquireRequest.of(LimitRequest.of(policy, key)),
        reached -> reached.usage(policy, key),
        usage -> false);
  }

  @Override
  public void forget(Policy policy, String key) {
    substitute.forget(policy, key);
    required(
        AcquireRequest.of(LimitRequest.of(policy, key)),
        reached -> {
          reached.forget(policy, key);
          return true;
        },
        isForgotten -> isForgotten);
  }

  /**
   * Settles the usages in the store, in the fallback and in the memory of this node.
   *
   * @throws StoreException if a store is unavailable; repeat the call then
   */
  @Override
  public void settle(Policy policy) {
    substitute.settle(policy);
    required(
        AcquireRequest.of(LimitRequest.of(policy, WATCH.name())),
        reached -> {
          reached.settle(policy);
          return true;
        },
        isSettled -> false);
  }

  @Override
  public void settle(Policy policy, String key) {
    substitute.settle(policy, key);
    required(
        AcquireRequest.of(LimitRequest.of(policy, key)),
        reached -> {
          reached.settle(policy, key);
          return true;
        },
        isSettled -> false);
  }

  /** Returns the result of the store. Throws if it is not called or does not respond. */
  private <T> T required(
      AcquireRequest request, Function<LimitStore, T> operation, Predicate<? super T> isProof) {
    if (!isAvailable(request)) {
      throw store.unavailable();
    }
    return store.call(operation, isProof);
  }

  @Override
  public Set<Class<? extends Limit>> kinds() {
    return store.store().kinds();
  }

  @Override
  public boolean hasOtherModes() {
    return true;
  }

  @Override
  public void close() {
    store.store().close();
    substitute.close();
  }
}
