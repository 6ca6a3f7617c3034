package dev.weir.server.envoy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.Outcome;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleResult;
import dev.weir.rules.Ticket;
import dev.weir.rules.TooManyRulesException;
import dev.weir.rules.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides the descriptors of a call by rules: gives back, peeks and takes, each for all descriptors
 * together. Thread-safe.
 */
final class DescriptorEvaluator {
  /** The refusal of a rule that cannot be decided: try again soon. */
  private static final Decision.Refused UNDECIDED =
      new Decision.Refused(0, Micros.PER_SECOND, Micros.PER_SECOND);

  private static final Logger log = LoggerFactory.getLogger(DescriptorEvaluator.class);

  private final RuleEvaluator evaluator;
  private final LimitStore counts;

  DescriptorEvaluator(RuleEvaluator evaluator, LimitStore counts) {
    this.evaluator = evaluator;
    this.counts = counts;
  }

  /** Decides what the requests take, together or not at all. */
  Verdict decide(List<DescriptorRequest> requests) {
    List<RuleCheck> toTake = gathered(requests, DescriptorRequest.Kind.TAKE);
    List<RuleResult> peeked = peek(requests);
    if (requests.stream().anyMatch(request -> request.kind() == DescriptorRequest.Kind.REFUSE)
        || toTake.stream().anyMatch(DescriptorEvaluator::isTooMuch)
        || peeked.stream().anyMatch(result -> result.outcome() instanceof Decision.Refused)) {
      return refuse(requests, toTake, peeked);
    }
    if (toTake.isEmpty()) {
      return new Verdict.Passed(
          peeked, AcquireResult.Mode.STORE, Optional.empty(), Ticket.NONE, false);
    }
    int inForce = inForce(toTake).size();
    if (inForce > AcquireRequest.MAX_PARTS) {
      // An error would let the request pass if Envoy is configured to fail open.
      log.error(TooManyRulesException.message(inForce));
      return new Verdict.Refused(peeked, AcquireResult.Mode.STORE, Optional.empty());
    }
    Verdict verdict = evaluator.decide(toTake, RuleEvaluator.Repeat.NONE);
    return peeked.isEmpty() ? verdict : withPeeked(verdict, peeked);
  }

  /**
   * Returns the decision about requests that the store failed to decide: refused if one of their
   * rules does not open then, or if one would be refused by any store. Empty if there is nothing to
   * decide.
   */
  Optional<Verdict> withoutStore(List<DescriptorRequest> requests, StoreException failure) {
    List<RuleCheck> checks = new ArrayList<>();
    for (DescriptorRequest request : requests) {
      if (request.kind() != DescriptorRequest.Kind.GIVE_BACK) {
        checks.addAll(inForce(request.checks()));
      }
    }
    boolean isRefused =
        requests.stream().anyMatch(each -> each.kind() == DescriptorRequest.Kind.REFUSE);
    if (checks.isEmpty() && !isRefused) {
      return Optional.empty();
    }
    if (!isRefused && checks.stream().allMatch(DescriptorEvaluator::opensWithoutStore)) {
      return Optional.of(
          new Verdict.Passed(
              List.of(), AcquireResult.Mode.OPEN, Optional.empty(), Ticket.NONE, false));
    }
    List<RuleResult> results =
        checks.stream().map(check -> new RuleResult(check, UNDECIDED)).toList();
    return Optional.of(
        new Verdict.Refused(
            results,
            AcquireResult.Mode.CLOSED,
            Optional.empty(),
            failure.outcome() == StoreException.Outcome.UNKNOWN));
  }

  private static boolean opensWithoutStore(RuleCheck check) {
    return check.rule().kind() instanceof LimitedRule.Counted counted
        && counted.policy().onStoreFailure() == OnStoreFailure.OPEN;
  }

  private static Verdict withPeeked(Verdict verdict, List<RuleResult> peeked) {
    List<RuleResult> results = new ArrayList<>(verdict.results());
    results.addAll(peeked);
    return switch (verdict) {
      case Verdict.Passed passed ->
          new Verdict.Passed(
              results, passed.mode(), passed.decidedAt(), passed.ticket(), passed.isReplayed());
      case Verdict.Queued queued ->
          new Verdict.Queued(
              results,
              queued.mode(),
              queued.decidedAt(),
              queued.ticket(),
              queued.delayMicros(),
              queued.position(),
              queued.isReplayed());
      case Verdict.Refused refused ->
          new Verdict.Refused(
              results, refused.mode(), refused.decidedAt(), refused.isOutcomeUnknown());
      case Verdict.Reused reused -> reused;
    };
  }

  /**
   * Returns the state of the enforced rules that are only peeked at. A rule that would queue the
   * request counts as refused, because a peek does not wait.
   */
  private List<RuleResult> peek(List<DescriptorRequest> requests) {
    List<RuleCheck> toPeek = inForce(gathered(requests, DescriptorRequest.Kind.PEEK));
    return toPeek.isEmpty()
        ? List.of()
        : evaluator.peek(toPeek).stream()
            .map(
                result ->
                    result.outcome() instanceof Delayed delayed
                        ? new RuleResult(result.check(), refused(delayed, delayed.resetMicros()))
                        : result)
            .toList();
  }

  /** Refuses the call without taking anything, and reports the state of the other rules. */
  private Verdict refuse(
      List<DescriptorRequest> requests, List<RuleCheck> toTake, List<RuleResult> peeked) {
    List<RuleResult> results = new ArrayList<>(peeked);
    for (RuleCheck check : inForce(gathered(requests, DescriptorRequest.Kind.REFUSE))) {
      results.add(never(check));
    }
    for (RuleCheck check : inForce(toTake)) {
      results.add(isTooMuch(check) ? never(check) : evaluator.peek(List.of(check)).getFirst());
    }
    return new Verdict.Refused(results, AcquireResult.Mode.STORE, Optional.empty());
  }

  /**
   * Returns a refusal for a check that can never pass: even the rule's whole capacity is not
   * enough.
   */
  private RuleResult never(RuleCheck check) {
    Outcome decision = evaluator.peek(List.of(bounded(check))).getFirst().outcome();
    return new RuleResult(check, refused(decision, decision.resetMicros()));
  }

  /** Returns true if the cost exceeds the rule's maximum. The sum of several descriptors can. */
  private static boolean isTooMuch(RuleCheck check) {
    return check.cost() > check.rule().maxCost();
  }

  private static RuleCheck bounded(RuleCheck check) {
    return isTooMuch(check)
        ? new RuleCheck(check.rule(), check.key(), check.rule().maxCost())
        : check;
  }

  /** Gives back units; returns the state of their enforced rules. */
  List<RuleResult> giveBack(List<DescriptorRequest> requests) {
    List<RuleCheck> checks = gathered(requests, DescriptorRequest.Kind.GIVE_BACK);
    if (checks.isEmpty()) {
      return List.of();
    }
    List<LimitRequest> parts = new ArrayList<>(checks.size());
    for (RuleCheck check : checks) {
      // Envoy does not report whether a request has waited, in which case it took nothing.
      if (check.rule().kind() instanceof LimitedRule.Counted counted && counted.queue().isEmpty()) {
        parts.add(new LimitRequest(counted.policy(), check.key(), bounded(check).cost()));
      }
    }
    if (!parts.isEmpty()) {
      giveBack(AcquireRequest.all(parts));
    }
    return evaluator.peek(
        inForce(checks).stream()
            .map(check -> new RuleCheck(check.rule(), check.key(), 1))
            .toList());
  }

  /**
   * Gives back as if it were granted now, because Envoy does not report when it was. The time is
   * that of the store: by the clock of this node, it may be before the window that has counted it.
   */
  private void giveBack(AcquireRequest request) {
    AcquireResult now = counts.peek(request);
    switch (now.mode()) {
      case STORE, FALLBACK, LOCAL -> {
        var unused = counts.refund(request, now);
      }
      case OPEN, CLOSED ->
          throw new StoreException(
              StoreException.Outcome.NONE, "the store of limits is unavailable");
    }
  }

  private static List<RuleCheck> inForce(List<RuleCheck> checks) {
    return checks.stream().filter(check -> !check.rule().isShadow()).toList();
  }

  /**
   * Returns the checks of all requests of a kind, with the costs for the same rule and key added
   * up.
   */
  private static List<RuleCheck> gathered(
      List<DescriptorRequest> requests, DescriptorRequest.Kind kind) {
    if (requests.size() == 1) {
      DescriptorRequest only = requests.getFirst();
      return only.kind() == kind ? only.checks() : List.of();
    }
    List<RuleCheck> gathered = new ArrayList<>(requests.size());
    for (DescriptorRequest request : requests) {
      if (request.kind() == kind) {
        request.checks().forEach(check -> gather(gathered, check));
      }
    }
    return gathered;
  }

  private static void gather(List<RuleCheck> gathered, RuleCheck check) {
    for (int i = 0; i < gathered.size(); i++) {
      RuleCheck other = gathered.get(i);
      if (other.rule() == check.rule() && other.key().equals(check.key())) {
        RuleCheck sum = new RuleCheck(check.rule(), check.key(), check.cost() + other.cost());
        // A shadow rule refuses too high a cost, but must not block the request.
        gathered.set(i, check.rule().isShadow() ? bounded(sum) : sum);
        return;
      }
    }
    gathered.add(check);
  }

  static Decision.Refused refused(Outcome decision, long retryAfterMicros) {
    return new Decision.Refused(decision.remaining(), decision.resetMicros(), retryAfterMicros);
  }
}
