package dev.weir.engine.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Outcome;
import dev.weir.core.limits.Usage;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.memory.BusyClock;
import dev.weir.engine.limits.memory.MemoryLimitStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
 *       so only if it has called the other store. With long windows that is long; {@code LOCAL}
 *       answers immediately. While some nodes have lost the store and others have not, each of the
 *       two stores grants up to the limit: a whole limit beyond.
 *   <li>{@link OnStoreFailure#LOCAL}: a whole limit (all nodes' shares) at the failure, and a whole
 *       limit at the recovery of a store that lost its counts; more if the configured number of
 *       nodes is less than the actual one.
 *   <li>{@link OnStoreFailure#OPEN}: everything that arrives while the store is unavailable.
 * </ul>
 *
 * <p>A call that fails before the breaker opens results in {@link AcquireResult.Mode#CLOSED} under
 * {@code FALLBACK}: a transient failure does not switch stores.
 *
 * <p>If the response of a store was lost, a refusal says {@link AcquireResult#isOutcomeUnknown}: the
 * store may have counted the request, and its caller finds out with the same request id.
 * Thread-safe.
 */
public final class Failover implements LimitStore {
  /** How far ahead the log is written, so that only few requests write it. */
  private static final long LOGGED_AHEAD_MICROS = 5_000_000;

  /**
   * The components of a {@link Failover}.
   *
   * @param name the name of the store, for metrics
   * @param next the store for {@link OnStoreFailure#FALLBACK}; empty for none
   * @param nodes the number of nodes that share a limit under {@link OnStoreFailure#LOCAL}
   * @param localMostKeys the max number of keys counted under {@link OnStoreFailure#LOCAL}
   */
  public record Parts(
      String name,
      LimitStore store,
      Optional<LimitStore> next,
      int nodes,
      long localMostKeys,
      CircuitBreaker.Settings breaker) {
    public Parts {
      if (nodes < 1 || nodes > Limit.MAX_NODES) {
        throw new IllegalArgumentException(
            "nodes must be from 1 to %d, not %d".formatted(Limit.MAX_NODES, nodes));
      }
    }
  }

  private final Parts parts;
  private final LongSupplier nowMicros;
  private final LimitObserver observer;
  private final CircuitBreaker breaker;
  private final LimitStore local;

  private final FallbackLog log;
  private final ReentrantLock logging = new ReentrantLock();
  private volatile long loggedUntilMicros = Micros.EARLIEST;

  /**
   * The time of the last request to the next store that takes something: it may have been granted.
   */
  private volatile long nextAskedAtMicros;

  public Failover(Parts parts, LimitObserver observer) {
    this(parts, observer, FallbackLog.NONE);
  }

  /**
   * Creates a store that accounts for uses of the next store before this process started.
   *
   * @param log the log of those uses; read immediately
   */
  public Failover(Parts parts, LimitObserver observer, FallbackLog log) {
    this(parts, observer, log, BusyClock.sinceStart());
  }

  /** Creates a store that uses the given clock, in microseconds since the epoch. */
  public Failover(Parts parts, LimitObserver observer, LongSupplier nowMicros) {
    this(parts, observer, FallbackLog.NONE, nowMicros);
  }

  Failover(Parts parts, LimitObserver observer, FallbackLog log, LongSupplier nowMicros) {
    this.parts = parts;
    this.log = log;
    this.nextAskedAtMicros = log.usedUntilMicros();
    this.nowMicros = nowMicros;
    this.observer = observer;
    this.breaker =
        new CircuitBreaker(
            parts.breaker(),
            nowMicros,
            () -> ThreadLocalRandom.current().nextLong(),
            state -> observer.breakerChanged(parts.name(), state));
    this.local = new MemoryLimitStore(nowMicros, parts.localMostKeys());
  }

  @Override
  public AcquireResult decide(AcquireRequest demand) {
    return ask(demand, LimitStore::decide);
  }

  @Override
  public AcquireResult peek(AcquireRequest demand) {
    return ask(demand, PEEK);
  }

  /**
   * Returns the recorded result from the store; if it is unavailable, from the local counters under
   * {@link OnStoreFailure#LOCAL}.
   */
  @Override
  public Optional<AcquireResult> recall(AcquireRequest demand) {
    Optional<AcquireResult> known = tried(demand, store -> store.recall(demand), recalled -> false);
    if (known != null) {
      return known;
    }
    return switch (strictest(demand)) {
      case CLOSED, OPEN, FALLBACK -> Optional.empty();
      case LOCAL ->
          share(demand)
              .flatMap(share -> local.recall(share))
              .map(answer -> answer.in(AcquireResult.Mode.LOCAL));
    };
  }

  @Override
  public boolean take(Policy policy, String key, long cost) {
    if (mayLackGrants(policy.onStoreFailure())) {
      return decide(policy, key, cost).isAllowed();
    }
    Boolean taken = tried(policy, key, store -> store.take(policy, key, cost), isTaken -> isTaken);
    return taken == null ? without(policy, key, cost).isAllowed() : taken;
  }

  @Override
  public Decision decide(Policy policy, String key, long cost) {
    if (mayLackGrants(policy.onStoreFailure())) {
      return decide(AcquireRequest.of(new LimitRequest(policy, key, cost))).decision();
    }
    Decision decision =
        tried(policy, key, store -> store.decide(policy, key, cost), Decision::isAllowed);
    return decision == null ? without(policy, key, cost) : decision;
  }

  private Decision without(Policy policy, String key, long cost) {
    return without(AcquireRequest.of(new LimitRequest(policy, key, cost)), LimitStore::decide)
        .decision();
  }

  /** A call of one of the stores. */
  @FunctionalInterface
  private interface Question {
    AcquireResult ask(LimitStore store, AcquireRequest demand);
  }

  private static final Question PEEK = LimitStore::peek;

  private AcquireResult ask(AcquireRequest demand, Question question) {
    if (mayLackGrants(strictest(demand))) {
      if (breaker.isOpen() && !isWellAgain(demand)) {
        return without(demand, question);
      }
      long unknownMicros = unknownMicros(demand, nextAskedAtMicros);
      if (unknownMicros > 0) {
        return refused(demand, unknownMicros, AcquireResult.Mode.CLOSED);
      }
    }
    if (breaker.isOpen() && !isWellAgain(demand)) {
      return without(demand, question);
    }
    try {
      return said(
          store -> question.ask(store, demand),
          said -> said.isAllowed() && !question.equals(PEEK));
    } catch (StoreException e) {
      AcquireResult instead = without(demand, question);
      return instead.mode() == AcquireResult.Mode.CLOSED ? marked(instead, e) : instead;
    }
  }

  /** Returns a refusal, marked if the store that failed may have granted the request. */
  private static AcquireResult marked(AcquireResult refusal, StoreException failure) {
    return failure.outcome() == StoreException.Outcome.UNKNOWN
        ? refusal.withOutcomeUnknown()
        : refusal;
  }

  /** Returns true if the store may lack grants that the next store made in its place. */
  private boolean mayLackGrants(OnStoreFailure onFailure) {
    return onFailure == OnStoreFailure.FALLBACK && nextAskedAtMicros != Micros.EARLIEST;
  }

  /**
   * Returns how long a store may lack grants that the other made up to the given time. The other
   * store granted nothing for policies created after it.
   */
  private long unknownMicros(AcquireRequest demand, long untilMicros) {
    long longest = untilMicros;
    for (LimitRequest ask : demand.asks()) {
      if (Micros.clamped(ask.policy().createdAt()) < untilMicros) {
        Limit limit = ask.policy().limit();
        Usage all = limit.take(limit.settle(Usage.NONE, untilMicros), limit.maxCost(), untilMicros);
        longest = Math.max(longest, untilMicros + limit.idleMicros(all, untilMicros));
      }
    }
    return longest - nowMicros.getAsLong();
  }

  /** Returns the result of the store; null if it is not called or does not respond. */
  private <T> @Nullable T tried(
      AcquireRequest demand, Function<LimitStore, T> question, Predicate<? super T> isProof) {
    return breaker.isOpen() && !isWellAgain(demand) ? null : answered(question, isProof);
  }

  private <T> @Nullable T tried(
      Policy policy, String key, Function<LimitStore, T> question, Predicate<? super T> isProof) {
    return breaker.isOpen() && !isWellAgain(AcquireRequest.of(LimitRequest.of(policy, key)))
        ? null
        : answered(question, isProof);
  }

  private <T> @Nullable T answered(Function<LimitStore, T> question, Predicate<? super T> isProof) {
    try {
      return said(question, isProof);
    } catch (StoreException e) {
      return null;
    }
  }

  /** Returns the result of the store. Throws if it is not called or does not respond. */
  private <T> T required(
      AcquireRequest demand, Function<LimitStore, T> question, Predicate<? super T> isProof) {
    if (breaker.isOpen() && !isWellAgain(demand)) {
      throw new StoreException(
          parts.name(), StoreException.Outcome.NONE, parts.name() + " is unavailable");
    }
    return said(question, isProof);
  }

  /**
   * Returns true if a store whose breaker is open has recovered. One caller at a time probes it,
   * and not with its own request: if a store still responds to reads, these would close the
   * breaker, the next writes would open it again, and so on.
   */
  private boolean isWellAgain(AcquireRequest demand) {
    if (!breaker.mayTry()) {
      return false;
    }
    Boolean isWell =
        answered(
            store -> {
              store.probe(demand);
              return true;
            },
            isProbed -> isProbed);
    return isWell != null;
  }

  /**
   * Calls the store and reports the result to the breaker.
   *
   * @param isProof returns true if the result proves that the store is writable. Other results do
   *     not end a series of failures: a store may respond to reads, and refuse requests that take
   *     nothing, while it fails at every grant
   */
  private <T> T said(Function<LimitStore, T> question, Predicate<? super T> isProof) {
    try {
      T answer = question.apply(parts.store());
      if (isProof.test(answer)) {
        breaker.succeeded();
      }
      return answer;
    } catch (StoreException e) {
      if (e.isFull()) {
        // The store is healthy, and continues with the keys that it has.
        breaker.succeeded();
      } else {
        observer.storeFailed(parts.name(), e);
        breaker.failed();
      }
      throw e;
    } catch (IllegalArgumentException | Error e) {
      // An error of the caller, or of this process, such as a heap that is full. It says nothing
      // about the store.
      breaker.notAsked();
      throw e;
    } catch (RuntimeException e) {
      breaker.failed();
      throw e;
    }
  }

  private AcquireResult without(AcquireRequest demand, Question question) {
    return switch (strictest(demand)) {
      case CLOSED -> refused(demand, breaker.retryAfterMicros(), AcquireResult.Mode.CLOSED);
      case FALLBACK -> fallenBack(demand, question);
      case LOCAL -> decidedHere(demand, question);
      case OPEN -> letPass(demand);
    };
  }

  private AcquireResult fallenBack(AcquireRequest demand, Question question) {
    if (parts.next().isEmpty() || !breaker.isOpen()) {
      return refused(demand, breaker.retryAfterMicros(), AcquireResult.Mode.CLOSED);
    }
    long unknownMicros = unknownMicros(demand, breaker.changedAtMicros());
    if (unknownMicros > 0) {
      return refused(demand, unknownMicros, AcquireResult.Mode.CLOSED);
    }
    try {
      if (!question.equals(PEEK)) {
        logUse();
        nextAskedAtMicros = nowMicros.getAsLong();
        if (!breaker.isOpen()) {
          // The store has recovered meanwhile: other requests may have used it without seeing this
          // one.
          return refused(demand, breaker.retryAfterMicros(), AcquireResult.Mode.CLOSED);
        }
      }
      AcquireResult answer = question.ask(parts.next().get(), demand);
      return answer.mode() == AcquireResult.Mode.STORE
          ? answer.in(AcquireResult.Mode.FALLBACK)
          : answer;
    } catch (StoreException e) {
      observer.storeFailed(parts.name() + "'s fallback", e);
      return marked(
          refused(demand, breaker.retryAfterMicros(), AcquireResult.Mode.CLOSED), e);
    }
  }

  /** Logs the use before the next store is called; otherwise a restart in between would lose it. */
  private void logUse() {
    if (nowMicros.getAsLong() < loggedUntilMicros) {
      return;
    }
    logging.lock();
    try {
      long now = nowMicros.getAsLong();
      if (now >= loggedUntilMicros) {
        log.uses(now + LOGGED_AHEAD_MICROS);
        loggedUntilMicros = now + LOGGED_AHEAD_MICROS;
      }
    } finally {
      logging.unlock();
    }
  }

  private AcquireResult decidedHere(AcquireRequest demand, Question question) {
    Optional<AcquireRequest> share = share(demand);
    return share.isEmpty()
        ? refused(demand, breaker.retryAfterMicros(), AcquireResult.Mode.LOCAL)
        : question.ask(local, share.get()).in(AcquireResult.Mode.LOCAL);
  }

  /**
   * Returns the request for this node's share; empty if it exceeds the max that the share can
   * grant.
   */
  private Optional<AcquireRequest> share(AcquireRequest demand) {
    List<LimitRequest> asks = new ArrayList<>(demand.asks().size());
    for (LimitRequest ask : demand.asks()) {
      Limit share = ask.policy().limit().share(parts.nodes());
      if (ask.cost() > share.maxCost()) {
        return Optional.empty();
      }
      asks.add(new LimitRequest(Policy.of(ask.policy().name(), share), ask.key(), ask.cost()));
    }
    return Optional.of(new AcquireRequest(List.copyOf(asks), demand.waits(), demand.request()));
  }

  private AcquireResult refused(AcquireRequest demand, long waitMicros, AcquireResult.Mode mode) {
    Outcome refused = new Decision.Refused(0, waitMicros, waitMicros);
    return answer(demand.asks().stream().map(ask -> refused).toList(), mode);
  }

  private AcquireResult letPass(AcquireRequest demand) {
    List<Outcome> decisions = new ArrayList<>(demand.asks().size());
    for (LimitRequest ask : demand.asks()) {
      decisions.add(new Decision.Allowed(ask.policy().limit().maxCost() - ask.cost(), 0));
    }
    return answer(decisions, AcquireResult.Mode.OPEN);
  }

  private AcquireResult answer(List<Outcome> decisions, AcquireResult.Mode mode) {
    return new AcquireResult(decisions, Micros.instant(nowMicros.getAsLong()), mode);
  }

  /** Refunds to the store. Throws if it is unavailable; then nothing is refunded. */
  @Override
  public Refund refund(AcquireRequest demand, Instant grantedAt) {
    return refund(demand, new AcquireResult(List.of(), grantedAt, AcquireResult.Mode.STORE));
  }

  /** Refunds to the store that made the grant. */
  @Override
  public Refund refund(AcquireRequest demand, AcquireResult granted) {
    return switch (granted.mode()) {
      case STORE ->
          required(
              demand,
              store -> store.refund(demand, granted.decidedAt()),
              refund -> refund == Refund.GIVEN_BACK);
      case FALLBACK ->
          parts.next().map(next -> next.refund(demand, granted.decidedAt())).orElse(Refund.UNKNOWN);
      case LOCAL ->
          share(demand)
              .map(share -> local.refund(share, granted.decidedAt()))
              .orElse(Refund.UNKNOWN);
      case OPEN, CLOSED -> Refund.UNKNOWN;
    };
  }

  @Override
  public Usage usage(Policy policy, String key) {
    return required(
        AcquireRequest.of(LimitRequest.of(policy, key)),
        store -> store.usage(policy, key),
        usage -> false);
  }

  @Override
  public void forget(Policy policy, String key) {
    local.forget(policy, key);
    required(
        AcquireRequest.of(LimitRequest.of(policy, key)),
        store -> {
          store.forget(policy, key);
          return true;
        },
        isForgotten -> isForgotten);
  }

  private static OnStoreFailure strictest(AcquireRequest demand) {
    OnStoreFailure strictest = OnStoreFailure.OPEN;
    for (LimitRequest ask : demand.asks()) {
      OnStoreFailure said = ask.policy().onStoreFailure();
      strictest = said.compareTo(strictest) < 0 ? said : strictest;
    }
    return strictest;
  }

  @Override
  public boolean mayStandIn() {
    return true;
  }

  @Override
  public void close() {
    parts.store().close();
    parts.next().ifPresent(LimitStore::close);
    local.close();
  }
}
