package dev.weir.rules;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Refund;
import dev.weir.limits.RequestBinding;
import dev.weir.rules.matching.Request;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides whether a request may pass, by all rules that cover it.
 *
 * <p>The enforced rules grant together or not at all. Counters are taken in one atomic step of
 * their store; leases are acquired before it, and given back if it refuses. If every rule that
 * refuses has a queue, the request may wait there instead. Shadow rules are evaluated afterwards,
 * each independently, for requests that pass; their results, or failures, are only counted.
 *
 * <p>Calls block only on the stores. Thread-safe.
 */
public final class RuleEvaluator {
  /**
   * The interval at which to call {@link #renewLeases()}, so that even a lease with the minimum
   * time to live is renewed in time.
   */
  public static final Duration BETWEEN_RENEWALS = Duration.ofMillis(250);

  private static final System.Logger LOGGER = System.getLogger(RuleEvaluator.class.getName());

  private static final int TURNS = 1_024;

  private static final Verdict.Decided NOT_COVERED =
      new Verdict.Passed(List.of(), AcquireResult.Mode.STORE, Optional.empty(), Ticket.NONE, false);

  private final RuleIndex index;
  private final Stores stores;
  private final RuleObserver observer;
  private final HeldLeases held;
  private final OneStepChecks oneStep;
  private final Preview preview;
  private final InstantSource wallClock;

  /** Request ids that share a lock wait for each other, so there are many locks. */
  private final List<Lock> turns = Stream.<Lock>generate(ReentrantLock::new).limit(TURNS).toList();

  /**
   * The stores that rules use.
   *
   * @param counts the usage of limits
   * @param leases leases and places in queues; refuses while it is unavailable
   * @param openLeases the same; admits every caller while it is unavailable
   */
  public record Stores(LimitStore counts, LeaseStore leases, LeaseStore openLeases) {}

  public RuleEvaluator(RuleIndex index, Stores stores, RuleObserver observer) {
    this(
        index,
        stores,
        observer,
        () -> TimeUnit.NANOSECONDS.toMicros(System.nanoTime()),
        InstantSource.system());
  }

  /** Creates an evaluator with a clock of its own, such as one that a test sets. */
  public RuleEvaluator(RuleIndex index, Stores stores, RuleObserver observer, InstantSource clock) {
    this(index, stores, observer, () -> Micros.ceil(clock.instant()), clock);
  }

  /**
   * Creates an evaluator.
   *
   * @param wallClock the time of a refusal by a lease store, which does not return it
   */
  RuleEvaluator(
      RuleIndex index,
      Stores stores,
      RuleObserver observer,
      LongSupplier nowMicros,
      InstantSource wallClock) {
    this.wallClock = wallClock;
    this.index = index;
    this.stores = stores;
    this.observer = observer;
    this.held = new HeldLeases(stores, nowMicros);
    this.oneStep = new OneStepChecks(stores.counts(), observer);
    this.preview = new Preview(stores, held);
  }

  /**
   * Decides by the rules that cover a request.
   *
   * @throws TooManyRulesException if more of them are in force than can be decided together
   */
  public Verdict.Decided decide(Request request) {
    RuleIndex.Covering covering = index.covering(request);
    return covering.isEmpty()
        ? NOT_COVERED
        : decideOnce(
            checks(covering.inForce(), request),
            checks(covering.inShadow(), request),
            HeldLeases.Holder.NODE);
  }

  /**
   * Decides by rules given by name; inactive rules are ignored. This node renews the leases until
   * the ticket is closed, like those of requests.
   */
  public Verdict.Decided decide(List<RuleCheck> checks) {
    return decideOnce(inForce(checks), inShadow(checks), HeldLeases.Holder.NODE);
  }

  /**
   * Decides by rules given by name; inactive rules are ignored. The caller renews the leases, with
   * the id from {@link Ticket#lease}.
   *
   * <p>A request id records the whole verdict. A request repeated with it takes nothing, and waits
   * for the rest of its delay; only a lease that has ended meanwhile is acquired again. What it
   * took is not given back when its client disconnects, but by {@link LimitStore#refund}.
   */
  public Verdict decide(List<RuleCheck> checks, Repeat repeat) {
    RequestBinding binding = repeat.binding(checks);
    if (OneStepChecks.isOneStep(checks)) {
      return oneStep.decide(checks, binding);
    }
    Evaluation evaluation = evaluation(inForce(checks), binding, HeldLeases.Holder.CALLER);
    Verdict verdict =
        evaluation.isRepeatableWithLeases()
            ? inTurn(binding.id(), evaluation::decide)
            : evaluation.decide();
    report(verdict, evaluation, inShadow(checks));
    return verdict;
  }

  /**
   * Returns true if {@link #decide(List, Repeat)} decides these checks in one step of the counter
   * store, and therefore never waits or takes leases.
   */
  public static boolean isOneStep(List<RuleCheck> checks) {
    return OneStepChecks.isOneStep(checks);
  }

  /** Returns the verdict that {@link #decide(List, Repeat)} would return now. Takes nothing. */
  public Verdict.Decided preview(List<RuleCheck> checks) {
    if (OneStepChecks.isOneStep(checks)) {
      return oneStep.preview(checks);
    }
    return preview.verdict(inForce(checks));
  }

  private static List<RuleCheck> inForce(List<RuleCheck> checks) {
    return checks.stream()
        .filter(check -> check.rule().isActive() && !check.rule().isShadow())
        .toList();
  }

  private static List<RuleCheck> inShadow(List<RuleCheck> checks) {
    return checks.stream()
        .filter(check -> check.rule().isActive() && check.rule().isShadow())
        .toList();
  }

  /**
   * The id with which a request can be repeated.
   *
   * @param requestId the request id; empty for none
   */
  public record Repeat(String requestId, Duration ttl) {
    public static final Repeat NONE = new Repeat("", AcquireRequest.DEFAULT_TTL);

    /** Returns the binding of the id to these checks. */
    public RequestBinding binding(List<RuleCheck> request) {
      return requestId.isEmpty()
          ? RequestBinding.NONE
          : new RequestBinding(requestId, ttl, RuleCheck.digest(request), UUID.randomUUID());
    }
  }

  /** Decides for a caller that does not report the end of the request: grants no leases. */
  public Verdict.Decided decideWithoutLeases(Request request) {
    RuleIndex.Covering covering = index.covering(request);
    return covering.isEmpty()
        ? NOT_COVERED
        : decideOnce(
            checks(counted(covering.inForce()), request),
            checks(counted(covering.inShadow()), request),
            HeldLeases.Holder.CALLER);
  }

  private static List<LimitedRule> counted(List<LimitedRule> rules) {
    return rules.stream().filter(rule -> rule.kind() instanceof LimitedRule.Counted).toList();
  }

  private static List<RuleCheck> checks(List<LimitedRule> rules, Request request) {
    List<RuleCheck> checks = new ArrayList<>(rules.size());
    for (LimitedRule rule : rules) {
      checks.add(new RuleCheck(rule, rule.spec().coverage().key(request), 1));
    }
    return checks;
  }

  private Verdict.Decided decideOnce(
      List<RuleCheck> inForce, List<RuleCheck> inShadow, HeldLeases.Holder holder) {
    Evaluation evaluation = evaluation(inForce, RequestBinding.NONE, holder);
    Verdict.Decided verdict = evaluation.decideOnce();
    report(verdict, evaluation, inShadow);
    return verdict;
  }

  private Evaluation evaluation(
      List<RuleCheck> inForce, RequestBinding request, HeldLeases.Holder holder) {
    if (inForce.size() > AcquireRequest.MAX_PARTS) {
      throw new TooManyRulesException(inForce.size());
    }
    return new Evaluation(
        stores, held, () -> new HeldTicket(observer), wallClock, inForce, request, holder);
  }

  /** Counts a verdict, and evaluates the shadow rules if it has taken something. */
  private void report(Verdict verdict, Evaluation evaluation, List<RuleCheck> inShadow) {
    try {
      observer.decided(verdict.mode());
      evaluation.count(verdict);
      if (evaluation.hasTaken()) {
        for (RuleCheck check : inShadow) {
          check.count(shadow(check, evaluation));
        }
      }
    } catch (RuntimeException | Error e) {
      // The leases of a ticket that no caller gets would be renewed for ever.
      evaluation.giveBackAfter(e);
      throw e;
    }
  }

  /**
   * Decides one request id on one thread at a time. Otherwise, a request sent twice concurrently
   * could be refused because of the lease that it has just acquired itself.
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

  /** Evaluates a shadow rule. Its failure must not affect the request, which has passed. */
  private RuleCounters.Kind shadow(RuleCheck check, Evaluation evaluation) {
    try {
      return switch (check.rule().kind()) {
        case LimitedRule.Counted counted -> shadow(check, counted);
        // A caller that is not informed of a lease would never give it back.
        case LimitedRule.Leased leased ->
            evaluation.isHeldByNode()
                ? shadow(evaluation.lease(check, leased))
                : shadow(preview.peek(check).isAllowed());
      };
    } catch (StoreException e) {
      return RuleCounters.Kind.SHADOW_UNDECIDED;
    } catch (RuntimeException e) {
      LOGGER.log(Level.ERROR, "Shadow rule \"" + check.rule().name() + "\" failed", e);
      return RuleCounters.Kind.SHADOW_UNDECIDED;
    }
  }

  private RuleCounters.Kind shadow(RuleCheck check, LimitedRule.Counted counted) {
    AcquireResult result =
        stores
            .counts()
            .decide(
                AcquireRequest.of(new LimitRequest(counted.policy(), check.key(), check.cost())));
    return result.mode() == AcquireResult.Mode.CLOSED
        ? RuleCounters.Kind.SHADOW_UNDECIDED
        : shadow(result.isAllowed());
  }

  private static RuleCounters.Kind shadow(LeaseDecision.Acquisition lease) {
    return lease instanceof LeaseDecision.Unavailable
        ? RuleCounters.Kind.SHADOW_UNDECIDED
        : shadow(lease.isGranted());
  }

  private static RuleCounters.Kind shadow(boolean isAllowed) {
    return isAllowed ? RuleCounters.Kind.SHADOW_ALLOWED : RuleCounters.Kind.SHADOW_REFUSED;
  }

  /**
   * Renews the due leases of requests that have passed and not ended. Call it every {@link
   * #BETWEEN_RENEWALS}.
   *
   * @throws dev.weir.StoreException if a lease could not be renewed; the next call tries again
   */
  public void renewLeases() {
    held.renew();
  }

  /** Renews a lease of a rule for its holder; returns empty if the rule grants no leases. */
  public Optional<LeaseDecision.Renewal> renew(RuleCheck check, String leaseId) {
    return check.rule().kind() instanceof LimitedRule.Leased leased
        ? Optional.of(held.renew(check, leased, leaseId))
        : Optional.empty();
  }

  /**
   * Ends a lease of a rule, because its holder has done its work or will not do it; returns empty
   * if the rule grants no leases.
   */
  public Optional<LeaseDecision.Release> release(RuleCheck check, String leaseId) {
    return check.rule().kind() instanceof LimitedRule.Leased
        ? Optional.of(held.release(check, leaseId))
        : Optional.empty();
  }

  /**
   * Gives back what an admitted request took from counters, because the work was not done after
   * all. Leases and places in queues are given back by closing the ticket. For a request with a
   * request id, see {@link #refund(Verdict, List, Repeat)}.
   */
  public Refund refund(Verdict verdict) {
    List<RuleCheck> taken =
        verdict.results().stream()
            .filter(result -> result.outcome() instanceof Decision.Allowed)
            .map(RuleResult::check)
            .toList();
    return isAdmitted(verdict)
        ? refund(taken, RequestBinding.NONE, verdict.decidedAt(), verdict.mode())
        : Refund.UNKNOWN;
  }

  /**
   * Gives back what an admitted request with a request id took from counters, once for each id.
   *
   * @param checks the checks that were decided
   */
  public Refund refund(Verdict verdict, List<RuleCheck> checks, Repeat repeat) {
    return isAdmitted(verdict)
        ? refund(inForce(checks), repeat.binding(checks), verdict.decidedAt(), verdict.mode())
        : Refund.UNKNOWN;
  }

  /** Gives back what a caller without its verdict was granted, as it describes it. */
  public Refund refund(GrantedChecks granted) {
    return refund(
        granted.taken(),
        granted.repeat().binding(granted.checks()),
        granted.decidedAt(),
        granted.mode());
  }

  private Refund refund(
      List<RuleCheck> taken,
      RequestBinding request,
      Optional<Instant> decidedAt,
      AcquireResult.Mode mode) {
    List<LimitRequest> parts =
        taken.stream().flatMap(check -> limitRequest(check).stream()).toList();
    if (parts.isEmpty() && !request.isPresent()) {
      return Refund.UNKNOWN;
    }
    // With an id and without a time, the store has the time.
    return stores
        .counts()
        .refund(
            new AcquireRequest(parts, Map.of(), request),
            new AcquireResult(List.of(), decidedAt.orElse(Instant.EPOCH), mode));
  }

  private static boolean isAdmitted(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Passed passed -> true;
      case Verdict.Queued queued -> true;
      case Verdict.Refused refused -> false;
      case Verdict.Reused reused -> false;
    };
  }

  private static Optional<LimitRequest> limitRequest(RuleCheck check) {
    return check.rule().kind() instanceof LimitedRule.Counted counted
        ? Optional.of(new LimitRequest(counted.policy(), check.key(), check.cost()))
        : Optional.empty();
  }

  /** Returns how the rules would decide a request now. Takes nothing. */
  public Explanation explain(Request request) {
    RuleIndex.Covering covering = index.covering(request);
    return new Explanation(
        preview.peek(checks(covering.inForce(), request)),
        checks(covering.overridden(), request),
        preview.peek(checks(covering.inShadow(), request)));
  }

  /** Returns how the rules would decide these checks now, each independently. Takes nothing. */
  public List<RuleResult> peek(List<RuleCheck> checks) {
    return preview.peek(checks);
  }

  /**
   * How the rules would decide a request.
   *
   * @param inForce the results of the enforced rules
   * @param overridden the checks of rules that do not apply, because others have a higher priority
   * @param inShadow the results of the shadow rules
   */
  public record Explanation(
      List<RuleResult> inForce, List<RuleCheck> overridden, List<RuleResult> inShadow) {
    /** Returns true if the request could pass, immediately or after a wait. */
    public boolean isPassing() {
      return inForce.stream().noneMatch(result -> result.outcome() instanceof Decision.Refused);
    }
  }
}
