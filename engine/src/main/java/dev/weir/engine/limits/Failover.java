package dev.weir.engine.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import dev.weir.engine.StoreException;
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
 * <p>A call that fails before the store is given up is told {@link Answer.Mode#CLOSED} under {@code
 * FALLBACK}: a store is not changed for a hiccup. Thread-safe.
 */
public final class Failover implements LimitStore<Limit> {
  /** How far ahead the log is written, so that few demands have to. */
  private static final long LOGGED_AHEAD_MICROS = 5_000_000;

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
      LimitStore<Limit> store,
      Optional<LimitStore<Limit>> next,
      int nodes,
      long localMostKeys,
      Breaker.Settings breaker) {
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
  private final Breaker breaker;
  private final LimitStore<Limit> local;

  private final FallbackLog log;
  private final ReentrantLock logging = new ReentrantLock();
  private volatile long loggedUntilMicros = Micros.EARLIEST;

  /** When the next store was last asked to take something: it may have granted. */
  private volatile long nextAskedAtMicros;

  public Failover(Parts parts, LimitObserver observer) {
    this(parts, observer, FallbackLog.NONE);
  }

  /**
   * One that knows what the next store was asked before this process began.
   *
   * @param log is read now
   */
  public Failover(Parts parts, LimitObserver observer, FallbackLog log) {
    this(parts, observer, log, BusyClock.sinceStart());
  }

  /** One that goes by the given clock, in microseconds since the epoch. */
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
        new Breaker(
            parts.breaker(),
            nowMicros,
            () -> ThreadLocalRandom.current().nextLong(),
            state -> observer.breakerChanged(parts.name(), state));
    this.local = new MemoryLimitStore(nowMicros, parts.localMostKeys());
  }

  @Override
  public Answer decide(Demand<? extends Limit> demand) {
    return ask(demand, LimitStore::decide);
  }

  @Override
  public Answer peek(Demand<? extends Limit> demand) {
    return ask(demand, PEEK);
  }

  /** Asks the store, and where that is gone the one that counts in its place. */
  @Override
  public Optional<Answer> recall(Demand<? extends Limit> demand) {
    Optional<Answer> known = tried(demand, store -> store.recall(demand), recalled -> false);
    if (known != null) {
      return known;
    }
    return switch (strictest(demand)) {
      case CLOSED, OPEN, FALLBACK -> Optional.empty();
      case LOCAL ->
          share(demand)
              .flatMap(share -> local.recall(share))
              .map(answer -> answer.in(Answer.Mode.LOCAL));
    };
  }

  @Override
  public boolean take(Policy<? extends Limit> policy, String key, long cost) {
    if (mayLackGrants(policy.onStoreFailure())) {
      return decide(policy, key, cost).isAllowed();
    }
    Boolean taken = tried(policy, key, store -> store.take(policy, key, cost), isTaken -> isTaken);
    return taken == null ? without(policy, key, cost).isAllowed() : taken;
  }

  @Override
  public Decision decide(Policy<? extends Limit> policy, String key, long cost) {
    if (mayLackGrants(policy.onStoreFailure())) {
      return decide(Demand.of(new Ask<>(policy, key, cost))).decisions().getFirst();
    }
    Decision decision =
        tried(policy, key, store -> store.decide(policy, key, cost), Decision::isAllowed);
    return decision == null ? without(policy, key, cost) : decision;
  }

  private Decision without(Policy<? extends Limit> policy, String key, long cost) {
    return without(Demand.of(new Ask<>(policy, key, cost)), LimitStore::decide)
        .decisions()
        .getFirst();
  }

  /** Asks one of the stores. */
  @FunctionalInterface
  private interface Question {
    Answer ask(LimitStore<Limit> store, Demand<? extends Limit> demand);
  }

  private static final Question PEEK = LimitStore::peek;

  private Answer ask(Demand<? extends Limit> demand, Question question) {
    if (mayLackGrants(strictest(demand))) {
      if (breaker.isOpen() && !isWellAgain(demand)) {
        return without(demand, question);
      }
      long unknownMicros = unknownMicros(demand, nextAskedAtMicros);
      if (unknownMicros > 0) {
        return refused(demand, unknownMicros, Answer.Mode.CLOSED);
      }
    }
    Answer answer =
        tried(
            demand,
            store -> question.ask(store, demand),
            said -> said.isAllowed() && !question.equals(PEEK));
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
  private long unknownMicros(Demand<? extends Limit> demand, long untilMicros) {
    long longest = untilMicros;
    for (Ask<? extends Limit> ask : demand.asks()) {
      if (Micros.clamped(ask.policy().createdAt()) < untilMicros) {
        Limit limit = ask.policy().limit();
        Usage all = limit.take(limit.settle(Usage.NONE, untilMicros), limit.most(), untilMicros);
        longest = Math.max(longest, untilMicros + limit.idleMicros(all, untilMicros));
      }
    }
    return longest - nowMicros.getAsLong();
  }

  /** What the store says; null if it is not asked, or does not answer. */
  private <T> @Nullable T tried(
      Demand<? extends Limit> demand,
      Function<LimitStore<Limit>, T> question,
      Predicate<? super T> isProof) {
    return breaker.isOpen() && !isWellAgain(demand) ? null : answered(question, isProof);
  }

  private <T> @Nullable T tried(
      Policy<? extends Limit> policy,
      String key,
      Function<LimitStore<Limit>, T> question,
      Predicate<? super T> isProof) {
    return breaker.isOpen() && !isWellAgain(Demand.of(Ask.of(policy, key)))
        ? null
        : answered(question, isProof);
  }

  private <T> @Nullable T answered(
      Function<LimitStore<Limit>, T> question, Predicate<? super T> isProof) {
    try {
      return said(question, isProof);
    } catch (StoreException e) {
      return null;
    }
  }

  /** What the store says. Throws if it is not asked, or does not answer. */
  private <T> T required(
      Demand<? extends Limit> demand,
      Function<LimitStore<Limit>, T> question,
      Predicate<? super T> isProof) {
    if (breaker.isOpen() && !isWellAgain(demand)) {
      throw new StoreException(StoreException.Outcome.NONE, parts.name() + " is gone");
    }
    return said(question, isProof);
  }

  /**
   * Whether a store that was given up is well again. One caller at a time finds out, and not by its
   * own question: a store that still answers reads would be taken for well by those, given up by
   * the next writes, and so on.
   */
  private boolean isWellAgain(Demand<? extends Limit> demand) {
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
   * Asks the store, and lets the breaker know how it went.
   *
   * @param isProof whether the answer proves that the store can be written to. Others do not end a
   *     row of failures: a store may answer reads, and refuse the demands that take nothing, while
   *     it fails at all that it should grant
   */
  private <T> T said(Function<LimitStore<Limit>, T> question, Predicate<? super T> isProof) {
    boolean isSettled = false;
    try {
      T answer = question.apply(parts.store());
      isSettled = true;
      if (isProof.test(answer)) {
        breaker.succeeded();
      }
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

  private Answer without(Demand<? extends Limit> demand, Question question) {
    return switch (strictest(demand)) {
      case CLOSED -> refused(demand, breaker.retryAfterMicros(), Answer.Mode.CLOSED);
      case FALLBACK -> fallenBack(demand, question);
      case LOCAL -> decidedHere(demand, question);
      case OPEN -> letPass(demand);
    };
  }

  private Answer fallenBack(Demand<? extends Limit> demand, Question question) {
    if (parts.next().isEmpty() || !breaker.isOpen()) {
      return refused(demand, breaker.retryAfterMicros(), Answer.Mode.CLOSED);
    }
    long unknownMicros = unknownMicros(demand, breaker.changedAtMicros());
    if (unknownMicros > 0) {
      return refused(demand, unknownMicros, Answer.Mode.CLOSED);
    }
    try {
      if (!question.equals(PEEK)) {
        logUse();
        nextAskedAtMicros = nowMicros.getAsLong();
        if (!breaker.isOpen()) {
          // Found well again meanwhile: others may have asked it without knowing of this.
          return refused(demand, breaker.retryAfterMicros(), Answer.Mode.CLOSED);
        }
      }
      Answer answer = question.ask(parts.next().get(), demand);
      return answer.mode() == Answer.Mode.STORE ? answer.in(Answer.Mode.FALLBACK) : answer;
    } catch (StoreException e) {
      observer.storeFailed(parts.name() + "'s fallback", e);
      return refused(demand, breaker.retryAfterMicros(), Answer.Mode.CLOSED);
    }
  }

  /** Before the next store is asked, or a restart in between would forget that it was. */
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

  private Answer decidedHere(Demand<? extends Limit> demand, Question question) {
    Optional<Demand<Limit>> share = share(demand);
    return share.isEmpty()
        ? refused(demand, breaker.retryAfterMicros(), Answer.Mode.LOCAL)
        : question.ask(local, share.get()).in(Answer.Mode.LOCAL);
  }

  /** The demand on this node's share, empty if it is more than that could ever grant. */
  private Optional<Demand<Limit>> share(Demand<? extends Limit> demand) {
    List<Ask<Limit>> asks = new ArrayList<>(demand.asks().size());
    for (Ask<? extends Limit> ask : demand.asks()) {
      Limit share = ask.policy().limit().share(parts.nodes());
      if (ask.cost() > share.most()) {
        return Optional.empty();
      }
      asks.add(new Ask<>(Policy.of(ask.policy().name(), share), ask.key(), ask.cost()));
    }
    return Optional.of(new Demand<>(List.copyOf(asks), demand.waits(), demand.request()));
  }

  private Answer refused(Demand<? extends Limit> demand, long waitMicros, Answer.Mode mode) {
    Decision refused = new Decision.Refused(0, waitMicros, waitMicros);
    return answer(demand.asks().stream().map(ask -> refused).toList(), mode);
  }

  private Answer letPass(Demand<? extends Limit> demand) {
    List<Decision> decisions = new ArrayList<>(demand.asks().size());
    for (Ask<? extends Limit> ask : demand.asks()) {
      decisions.add(new Decision.Allowed(ask.policy().limit().most() - ask.cost(), 0));
    }
    return answer(decisions, Answer.Mode.OPEN);
  }

  private Answer answer(List<Decision> decisions, Answer.Mode mode) {
    return new Answer(decisions, Micros.instant(nowMicros.getAsLong()), mode);
  }

  /** Gives back to the store. Throws if that is gone: then nothing is given back. */
  @Override
  public Refund refund(Demand<? extends Limit> demand, Instant grantedAt) {
    return refund(demand, new Answer(List.of(), grantedAt, Answer.Mode.STORE));
  }

  /** Gives back to whoever granted. */
  @Override
  public Refund refund(Demand<? extends Limit> demand, Answer granted) {
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
  public Usage usage(Policy<? extends Limit> policy, String key) {
    return required(
        Demand.of(Ask.of(policy, key)), store -> store.usage(policy, key), usage -> false);
  }

  @Override
  public void forget(Policy<? extends Limit> policy, String key) {
    local.forget(policy, key);
    required(
        Demand.of(Ask.of(policy, key)),
        store -> {
          store.forget(policy, key);
          return true;
        },
        isForgotten -> isForgotten);
  }

  private static OnStoreFailure strictest(Demand<? extends Limit> demand) {
    OnStoreFailure strictest = OnStoreFailure.OPEN;
    for (Ask<? extends Limit> ask : demand.asks()) {
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
