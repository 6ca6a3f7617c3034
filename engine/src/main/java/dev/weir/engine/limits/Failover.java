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
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that goes on when its store is gone, by what each policy says of that: {@link
 * OnStoreFailure}. The answer names the mode. Of several policies in a demand, the strictest holds.
 *
 * <p>What may pass beyond a limit, at most:
 *
 * <ul>
 *   <li>{@link OnStoreFailure#CLOSED}: nothing. A store that comes back without its counts has to
 *       notice that itself, see {@link LimitStore}.
 *   <li>{@link OnStoreFailure#FALLBACK}: nothing, if all nodes lose the store and find it again
 *       together. A store does not know what the other has granted, so after each switch, there and
 *       back, a node refuses until whatever may have been granted is over: the length of a window
 *       (two of a sliding one), the time in which an empty bucket fills. It does so on the way back
 *       only if it has asked the other store. With long windows that is long; {@code LOCAL} answers
 *       immediately. While some nodes have lost the store and others have not, each of the two
 *       stores grants up to the limit: a whole limit beyond.
 *   <li>{@link OnStoreFailure#LOCAL}: a whole limit (all nodes' shares) at the failure, and a whole
 *       limit at the recovery of a store that lost its counts; more if fewer parts than nodes were
 *       configured.
 *   <li>{@link OnStoreFailure#OPEN}: everything that comes while the store is gone.
 * </ul>
 *
 * <p>A call that fails before the store is given up is told {@link AcquireResult.Mode#CLOSED} under
 * {@code FALLBACK}: a store is not changed for a hiccup. Thread-safe.
 */
public final class Failover implements LimitStore {
  /**
   * What it is made of.
   *
   * @param name the store's, for metrics
   * @param next the store for {@link OnStoreFailure#FALLBACK}, empty for none
   * @param nodes so many nodes share a limit under {@link OnStoreFailure#LOCAL}
   * @param localMostKeys so many keys are counted under {@link OnStoreFailure#LOCAL}
   */
  public record Parts(
      String name,
      LimitStore store,
      Optional<LimitStore> next,
      int nodes,
      long localMostKeys,
      CircuitBreaker.Settings breaker) {
    public Parts {
      if (nodes < 1 || nodes > Limit.MOST_NODES) {
        throw new IllegalArgumentException(
            "nodes must be from 1 to %d, not %d".formatted(Limit.MOST_NODES, nodes));
      }
    }
  }

  private final Parts parts;
  private final LongSupplier nowMicros;
  private final LimitObserver observer;
  private final CircuitBreaker breaker;
  private final LimitStore local;

  /** When the next store was last asked to take something: it may have granted. */
  private volatile long nextAskedAtMicros = Micros.EARLIEST;

  public Failover(Parts parts, LimitObserver observer) {
    this(parts, observer, BusyClock.sinceStart());
  }

  /** One that goes by the given clock, in microseconds since the epoch. */
  public Failover(Parts parts, LimitObserver observer, LongSupplier nowMicros) {
    this.parts = parts;
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

  /** Asks the store, and where that is gone the one that counts in its place. */
  @Override
  public Optional<AcquireResult> recall(AcquireRequest demand) {
    Optional<AcquireResult> known = tried(store -> store.recall(demand));
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
    Boolean taken = tried(store -> store.take(policy, key, cost));
    return taken == null ? without(policy, key, cost).isAllowed() : taken;
  }

  @Override
  public Decision decide(Policy policy, String key, long cost) {
    if (mayLackGrants(policy.onStoreFailure())) {
      return decide(AcquireRequest.of(new LimitRequest(policy, key, cost))).decision();
    }
    Decision decision = tried(store -> store.decide(policy, key, cost));
    return decision == null ? without(policy, key, cost) : decision;
  }

  private Decision without(Policy policy, String key, long cost) {
    return without(AcquireRequest.of(new LimitRequest(policy, key, cost)), LimitStore::decide)
        .decision();
  }

  /** Asks one of the stores. */
  @FunctionalInterface
  private interface Question {
    AcquireResult ask(LimitStore store, AcquireRequest demand);
  }

  private static final Question PEEK = LimitStore::peek;

  private AcquireResult ask(AcquireRequest demand, Question question) {
    if (mayLackGrants(strictest(demand))) {
      if (breaker.isOpen()) {
        // The caller that finds out whether the store is well again only looks.
        tried(store -> store.peek(demand));
      }
      if (breaker.isOpen()) {
        return without(demand, question);
      }
      long unknownMicros = unknownMicros(demand, nextAskedAtMicros);
      if (unknownMicros > 0) {
        return refused(demand, unknownMicros, AcquireResult.Mode.CLOSED);
      }
    }
    AcquireResult answer = tried(store -> question.ask(store, demand));
    return answer == null ? without(demand, question) : answer;
  }

  /** Whether the store may not know what the next one has granted in its place. */
  private boolean mayLackGrants(OnStoreFailure onFailure) {
    return onFailure == OnStoreFailure.FALLBACK && nextAskedAtMicros != Micros.EARLIEST;
  }

  /**
   * For how long a store does not know all that the other may have granted up to a time. Policies
   * that are newer were granted nothing by it.
   */
  private long unknownMicros(AcquireRequest demand, long untilMicros) {
    long longest = untilMicros;
    for (LimitRequest ask : demand.asks()) {
      if (Micros.clamped(ask.policy().createdAt()) < untilMicros) {
        Limit limit = ask.policy().limit();
        Usage all = limit.take(limit.settle(Usage.NONE, untilMicros), limit.most(), untilMicros);
        longest = Math.max(longest, untilMicros + limit.idleMicros(all, untilMicros));
      }
    }
    return longest - nowMicros.getAsLong();
  }

  /** What the store says; null if it is not asked, or does not answer. */
  private <T> @Nullable T tried(Function<LimitStore, T> question) {
    if (!breaker.mayTry()) {
      return null;
    }
    try {
      return said(question);
    } catch (StoreException e) {
      return null;
    }
  }

  /** What the store says. Throws if it is not asked, or does not answer. */
  private <T> T required(Function<LimitStore, T> question) {
    if (!breaker.mayTry()) {
      throw new StoreException(StoreException.Outcome.NONE, parts.name() + " is gone");
    }
    return said(question);
  }

  /** Asks the store, and lets the breaker know how it went. */
  private <T> T said(Function<LimitStore, T> question) {
    boolean isSettled = false;
    try {
      T answer = question.apply(parts.store());
      isSettled = true;
      breaker.succeeded();
      return answer;
    } catch (StoreException e) {
      if (e.isFull()) {
        // It is well, and goes on with the keys that it has.
        isSettled = true;
        breaker.succeeded();
      } else {
        observer.storeFailed(parts.name(), e);
      }
      throw e;
    } catch (IllegalArgumentException e) {
      // The demand's fault. It was not sent, so the store has proved nothing.
      isSettled = true;
      breaker.notAsked();
      throw e;
    } finally {
      if (!isSettled) {
        breaker.failed();
      }
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
    if (!question.equals(PEEK)) {
      nextAskedAtMicros = nowMicros.getAsLong();
      if (!breaker.isOpen()) {
        // Found well again meanwhile: others may have asked it without knowing of this.
        return refused(demand, breaker.retryAfterMicros(), AcquireResult.Mode.CLOSED);
      }
    }
    try {
      AcquireResult answer = question.ask(parts.next().get(), demand);
      return answer.mode() == AcquireResult.Mode.STORE
          ? answer.in(AcquireResult.Mode.FALLBACK)
          : answer;
    } catch (StoreException e) {
      observer.storeFailed(parts.name() + "'s fallback", e);
      return refused(demand, breaker.retryAfterMicros(), AcquireResult.Mode.CLOSED);
    }
  }

  private AcquireResult decidedHere(AcquireRequest demand, Question question) {
    Optional<AcquireRequest> share = share(demand);
    return share.isEmpty()
        ? refused(demand, breaker.retryAfterMicros(), AcquireResult.Mode.LOCAL)
        : question.ask(local, share.get()).in(AcquireResult.Mode.LOCAL);
  }

  /** The demand on this node's share, empty if it is more than that could ever grant. */
  private Optional<AcquireRequest> share(AcquireRequest demand) {
    List<LimitRequest> asks = new ArrayList<>(demand.asks().size());
    for (LimitRequest ask : demand.asks()) {
      Limit share = ask.policy().limit().share(parts.nodes());
      if (ask.cost() > share.most()) {
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
      decisions.add(new Decision.Allowed(ask.policy().limit().most() - ask.cost(), 0));
    }
    return answer(decisions, AcquireResult.Mode.OPEN);
  }

  private AcquireResult answer(List<Outcome> decisions, AcquireResult.Mode mode) {
    return new AcquireResult(decisions, Micros.instant(nowMicros.getAsLong()), mode);
  }

  /** Gives back to the store. Throws if that is gone: then nothing is given back. */
  @Override
  public Refund refund(AcquireRequest demand, Instant grantedAt) {
    return refund(demand, new AcquireResult(List.of(), grantedAt, AcquireResult.Mode.STORE));
  }

  /** Gives back to whoever granted. */
  @Override
  public Refund refund(AcquireRequest demand, AcquireResult granted) {
    return switch (granted.mode()) {
      case STORE -> required(store -> store.refund(demand, granted.decidedAt()));
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
    return required(store -> store.usage(policy, key));
  }

  @Override
  public void forget(Policy policy, String key) {
    local.forget(policy, key);
    required(
        store -> {
          store.forget(policy, key);
          return AcquireResult.Mode.STORE;
        });
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
