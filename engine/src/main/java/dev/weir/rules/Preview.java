package dev.weir.rules;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.Outcome;
import dev.weir.limits.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Computes how rules would decide now, each independently. Takes nothing. */
final class Preview {
  private final RuleEvaluator.Stores stores;
  private final HeldLeases held;

  Preview(RuleEvaluator.Stores stores, HeldLeases held) {
    this.stores = stores;
    this.held = held;
  }

  /** What a rule would decide, and what would make the decision. */
  private record Peeked(Outcome outcome, AcquireResult.Mode mode) {}

  List<RuleResult> peek(List<RuleCheck> checks) {
    return checks.stream().map(check -> new RuleResult(check, peek(check))).toList();
  }

  Outcome peek(RuleCheck check) {
    return peeked(check).outcome();
  }

  /** Returns the verdict that these checks would get together. */
  Verdict.Decided verdict(List<RuleCheck> checks) {
    List<RuleResult> results = new ArrayList<>(checks.size());
    AcquireResult.Mode mode = AcquireResult.Mode.STORE;
    for (RuleCheck check : checks) {
      Peeked peeked = peeked(check);
      results.add(new RuleResult(check, peeked.outcome()));
      if (peeked.mode() != AcquireResult.Mode.STORE && mode != AcquireResult.Mode.CLOSED) {
        mode = peeked.mode();
      }
    }
    return OneStepChecks.preview(results, mode, Optional.empty());
  }

  private Peeked peeked(RuleCheck check) {
    return switch (check.rule().kind()) {
      case LimitedRule.Counted counted -> peeked(check, counted);
      case LimitedRule.Leased leased -> peeked(check, leased);
    };
  }

  private Peeked peeked(RuleCheck check, LimitedRule.Counted counted) {
    AcquireResult result =
        stores
            .counts()
            .peek(AcquireRequest.of(new LimitRequest(counted.policy(), check.key(), check.cost())));
    // A limit that is closed because its store is unavailable has no queue.
    return result.decision() instanceof Decision.Refused refused
            && counted.queue().isPresent()
            && result.mode() != AcquireResult.Mode.CLOSED
        ? new Peeked(inQueue(check, counted.queue().get(), refused), result.mode())
        : new Peeked(result.decision(), result.mode());
  }

  private Outcome inQueue(RuleCheck check, Queue queue, Decision.Refused refused) {
    int waiting =
        stores.leases().current(check.queueResource(), queue, check.rule().leaseHistory());
    return waiting >= queue.maxSize()
        ? refused
        : new Delayed(
            refused.remaining(),
            refused.resetMicros(),
            (waiting + 1) * queue.delayMicros(),
            waiting + 1);
  }

  private Peeked peeked(RuleCheck check, LimitedRule.Leased leased) {
    int current;
    try {
      current = held.current(check, leased);
    } catch (StoreException e) {
      if (check.rule().spec().onStoreFailure() != OnStoreFailure.OPEN) {
        throw e;
      }
      return new Peeked(
          new Decision.Allowed(leased.concurrency().max(), leased.concurrency().ttlMicros()),
          AcquireResult.Mode.OPEN);
    }
    long free = Math.max(0, leased.concurrency().max() - current);
    // The ends of the leases are not looked up: all have ended after their time to live.
    long reset = current == 0 ? 0 : leased.concurrency().ttlMicros();
    return new Peeked(
        free >= check.cost()
            ? new Decision.Allowed(free, reset)
            : new Decision.Refused(free, reset, reset),
        AcquireResult.Mode.STORE);
  }
}
