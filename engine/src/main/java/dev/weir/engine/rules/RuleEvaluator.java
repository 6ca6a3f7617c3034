package dev.weir.engine.rules;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Delayed;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Outcome;
import dev.weir.core.limits.Queue;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.LimitNames;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.RequestBinding;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Says whether a request may pass, by all the rules that cover it.
 *
 * <p>All rules that enforce grant together or not at all. Those that count are one atomic step of
 * their store; leases are taken before it, and given back if it refuses. If every rule that refuses
 * has a queue, the request may wait in it instead. Rules in the shadow are asked afterwards, each
 * by itself, about what would pass, and only counted.
 *
 * <p>Nothing here waits but for the stores. Thread-safe.
 */
public final class RuleEvaluator {
  /** How often leases want to be looked at, so that even the shortest is renewed in time. */
  public static final Duration BETWEEN_RENEWALS = Duration.ofMillis(250);

  private static final int TURNS = 1_024;

  private static final Verdict NOT_COVERED =
      new Verdict.Passed(List.of(), AcquireResult.Mode.STORE, Optional.empty(), Ticket.NONE, false);

  private final RuleIndex book;
  private final Stores stores;
  private final RuleObserver observer;
  private final HeldLeases held;
  private final OneStepChecks oneStep;
  private final InstantSource wallClock;

  /** Of request ids that share a lock, one waits for the other: there are many. */
  private final List<Lock> turns = Stream.<Lock>generate(ReentrantLock::new).limit(TURNS).toList();

  /**
   * Who keeps what rules need.
   *
   * @param counts what was used of limits
   * @param leases leases and places in queues; none is free while it is gone
   * @param openLeases the same, with room for everyone while it is gone
   */
  public record Stores(LimitStore counts, LeaseStore leases, LeaseStore openLeases) {}

  public RuleEvaluator(RuleIndex book, Stores stores, RuleObserver observer) {
    this(
        book,
        stores,
        observer,
        () -> TimeUnit.NANOSECONDS.toMicros(System.nanoTime()),
        InstantSource.system());
  }

  /**
   * @param wallClock says when a store of leases refused, which does not tell itself
   */
  RuleEvaluator(
      RuleIndex book,
      Stores stores,
      RuleObserver observer,
      LongSupplier nowMicros,
      InstantSource wallClock) {
    this.wallClock = wallClock;
    this.book = book;
    this.stores = stores;
    this.observer = observer;
    this.held = new HeldLeases(stores, nowMicros);
    this.oneStep = new OneStepChecks(stores.counts(), observer);
  }

  /** Decides by the rules that cover a request. */
  public Verdict decide(Request request) {
    RuleIndex.Covering covering = book.covering(request);
    if (covering.isEmpty()) {
      return NOT_COVERED;
    }
    return decide(
        asked(covering.inForce(), request),
        asked(covering.inShadow(), request),
        RequestBinding.NONE,
        HeldLeases.Holder.NODE);
  }

  /**
   * Decides by rules that were asked for by name; those that are not active are left out. Leases
   * are renewed by this node until the ticket is closed, as those of requests are.
   */
  public Verdict decide(List<RuleCheck> asked) {
    return decide(asked, RequestBinding.NONE, HeldLeases.Holder.NODE);
  }

  /**
   * Decides by rules that were asked for by name; those that are not active are left out. Leases
   * are the caller's to renew, by the id that {@link Ticket#lease} has.
   *
   * <p>What a request id remembers is the whole verdict. A request that is repeated by it takes
   * nothing, and waits for what is left of its wait; only a lease that has ended meanwhile is taken
   * again. What it took is not given back when its client goes away, but by {@link
   * LimitStore#refund}.
   */
  public Verdict decide(List<RuleCheck> asked, Repeat repeat) {
    RequestBinding binding = repeat.binding(asked);
    return OneStepChecks.isOneStep(asked)
        ? oneStep.decide(asked, binding)
        : decide(asked, binding, HeldLeases.Holder.CALLER);
  }

  /**
   * Returns true if {@link #decide(List, Repeat)} decides these checks in one step of the store
   * that counts, and so never waits or takes leases.
   */
  public static boolean isOneStep(List<RuleCheck> checks) {
    return OneStepChecks.isOneStep(checks);
  }

  /** Returns what {@link #decide(List, Repeat)} would say now. Takes nothing. */
  public Verdict preview(List<RuleCheck> checks) {
    if (OneStepChecks.isOneStep(checks)) {
      return oneStep.preview(checks);
    }
    List<RuleCheck> inForce =
        checks.stream()
            .filter(check -> check.rule().isActive() && !check.rule().isShadow())
            .toList();
    return OneStepChecks.preview(peek(inForce), AcquireResult.Mode.STORE, Optional.empty());
  }

  private Verdict decide(List<RuleCheck> asked, RequestBinding request, HeldLeases.Holder holder) {
    List<RuleCheck> inForce = new ArrayList<>(asked.size());
    List<RuleCheck> inShadow = new ArrayList<>(0);
    for (RuleCheck each : asked) {
      if (each.rule().isActive()) {
        (each.rule().isShadow() ? inShadow : inForce).add(each);
      }
    }
    return decide(inForce, inShadow, request, holder);
  }

  /**
   * By which a demand may be repeated.
   *
   * @param requestId empty for none
   */
  public record Repeat(String requestId, Duration ttl) {
    public static final Repeat NONE = new Repeat("", AcquireRequest.DEFAULT_TTL);

    /** By which the demand of a request may be repeated. */
    public RequestBinding binding(List<RuleCheck> request) {
      return requestId.isEmpty()
          ? RequestBinding.NONE
          : new RequestBinding(requestId, ttl, RuleCheck.digest(request), UUID.randomUUID());
    }
  }

  /** Decides for somebody who will not tell when the request is over: no leases are given. */
  public Verdict decideWithoutLeases(Request request) {
    RuleIndex.Covering covering = book.covering(request);
    return covering.isEmpty()
        ? NOT_COVERED
        : decide(
            asked(counted(covering.inForce()), request),
            asked(counted(covering.inShadow()), request),
            RequestBinding.NONE,
            HeldLeases.Holder.CALLER);
  }

  private static List<LimitedRule> counted(List<LimitedRule> rules) {
    return rules.stream().filter(rule -> rule.means() instanceof LimitedRule.Counted).toList();
  }

  private static List<RuleCheck> asked(List<LimitedRule> rules, Request request) {
    List<RuleCheck> asked = new ArrayList<>(rules.size());
    for (LimitedRule rule : rules) {
      asked.add(new RuleCheck(rule, rule.terms().coverage().key(request), 1));
    }
    return asked;
  }

  private Verdict decide(
      List<RuleCheck> inForce,
      List<RuleCheck> inShadow,
      RequestBinding request,
      HeldLeases.Holder holder) {
    Evaluation attempt =
        new Evaluation(
            stores, held, () -> new HeldTicket(observer), wallClock, inForce, request, holder);
    Verdict verdict =
        attempt.isRepeatableWithLeases() ? inTurn(request.id(), attempt::decide) : attempt.decide();
    observer.decided(verdict.mode());
    attempt.count(verdict);
    if (attempt.hasTaken()) {
      for (RuleCheck each : inShadow) {
        lookOn(each, attempt);
      }
    }
    return verdict;
  }

  /**
   * Decides about a request id when no other thread does. A request that is sent twice at the same
   * moment would otherwise be refused by the lease that it has just taken itself.
   */
  private Verdict inTurn(String requestId, Supplier<Verdict> decision) {
    Lock turn = turns.get(Math.floorMod(requestId.hashCode(), turns.size()));
    turn.lock();
    try {
      return decision.get();
    } finally {
      turn.unlock();
    }
  }

  /** Asks a rule whose word does not count. */
  private void lookOn(RuleCheck asked, Evaluation attempt) {
    boolean isAllowed =
        switch (asked.rule().means()) {
          case LimitedRule.Counted counted ->
              stores.counts().take(counted.policy(), asked.key(), asked.cost());
          // Nobody would give back the lease of a caller who is not told of it.
          case LimitedRule.Leased leased ->
              attempt.isHeldByNode()
                  ? attempt.lease(asked, leased).isGranted()
                  : peek(asked).isAllowed();
        };
    asked
        .rule()
        .tally()
        .count(isAllowed ? RuleCounters.Kind.SHADOW_ALLOWED : RuleCounters.Kind.SHADOW_REFUSED);
  }

  /** The resource whose leases a rule gives to a key. */
  public static String resourceOfLeases(LimitedRule rule, String key) {
    return LimitNames.resource("rule", rule.name(), key);
  }

  /**
   * Renews the leases of those who have passed and are not done, as far as it is time to; to be
   * called every {@link #BETWEEN_RENEWALS}.
   *
   * @throws dev.weir.engine.StoreException if one could not be renewed; it is tried again
   */
  public void renewLeases() {
    held.renew();
  }

  /** Renews a lease by a rule for its holder; nothing if the rule gives no leases. */
  public Optional<LeaseDecision> renew(RuleCheck asked, String leaseId) {
    return asked.rule().means() instanceof LimitedRule.Leased leased
        ? Optional.of(held.renew(asked, leased, leaseId))
        : Optional.empty();
  }

  /** What the rules would say to a request now. Takes nothing. */
  public Explanation explain(Request request) {
    RuleIndex.Covering covering = book.covering(request);
    return new Explanation(
        peek(asked(covering.inForce(), request)),
        asked(covering.overridden(), request),
        peek(asked(covering.inShadow(), request)));
  }

  /** What the rules would say to what is asked now, each by itself. Takes nothing. */
  public List<RuleResult> peek(List<RuleCheck> asked) {
    return asked.stream().map(each -> new RuleResult(each, peek(each))).toList();
  }

  private Outcome peek(RuleCheck asked) {
    return switch (asked.rule().means()) {
      case LimitedRule.Counted counted -> peek(asked, counted);
      case LimitedRule.Leased leased -> {
        int current = stores.leases().current(resourceOfLeases(asked.rule(), asked.key()));
        long free = Math.max(0, leased.concurrency().max() - current);
        // When leases end is not looked up: all of them have after their time to live.
        long reset = current == 0 ? 0 : leased.concurrency().ttlMicros();
        yield free >= asked.cost()
            ? new Decision.Allowed(free, reset)
            : new Decision.Refused(free, reset, reset);
      }
    };
  }

  private Outcome peek(RuleCheck asked, LimitedRule.Counted counted) {
    Decision decision =
        stores
            .counts()
            .peek(AcquireRequest.of(new LimitRequest(counted.policy(), asked.key(), asked.cost())))
            .decision();
    if (!(decision instanceof Decision.Refused refused) || counted.queue().isEmpty()) {
      return decision;
    }
    Queue queue = counted.queue().get();
    int waiting = stores.leases().current(resourceOfQueue(asked));
    return waiting >= queue.maxSize()
        ? refused
        : new Delayed(
            refused.remaining(),
            refused.resetMicros(),
            (waiting + 1) * queue.delayMicros(),
            waiting + 1);
  }

  static String resourceOfQueue(RuleCheck asked) {
    return LimitNames.resource("queue", asked.rule().name(), asked.key());
  }

  /**
   * What the rules would say.
   *
   * @param inForce what those say that count
   * @param overridden those that do not, because others have a higher priority
   * @param inShadow what those say that only look on
   */
  public record Explanation(
      List<RuleResult> inForce, List<RuleCheck> overridden, List<RuleResult> inShadow) {
    /** Whether it could pass, now or after a wait. */
    public boolean isPassing() {
      return inForce.stream().noneMatch(said -> said.outcome() instanceof Decision.Refused);
    }
  }
}
