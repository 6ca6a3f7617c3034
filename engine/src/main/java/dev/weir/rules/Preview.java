package dev.weir.rules;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Queue;
import java.util.List;

/** Computes how rules would decide now, each independently. Takes nothing. */
final class Preview {
  private final RuleEvaluator.Stores stores;
  private final HeldLeases held;

  Preview(RuleEvaluator.Stores stores, HeldLeases held) {
    this.stores = stores;
    this.held = held;
  }

  List<RuleResult> peek(List<RuleCheck> checks) {
    return checks.stream().map(check -> new RuleResult(check, peek(check))).toList();
  }

  Outcome peek(RuleCheck check) {
    return switch (check.rule().kind()) {
      case LimitedRule.Counted counted -> peek(check, counted);
      case LimitedRule.Leased leased -> peek(check, leased);
    };
  }

  private Outcome peek(RuleCheck check, LimitedRule.Counted counted) {
    Decision decision =
        stores
            .counts()
            .peek(AcquireRequest.of(new LimitRequest(counted.policy(), check.key(), check.cost())))
            .decision();
    if (!(decision instanceof Decision.Refused refused) || counted.queue().isEmpty()) {
      return decision;
    }
    Queue queue = counted.queue().get();
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

  private Outcome peek(RuleCheck check, LimitedRule.Leased leased) {
    int current = held.current(check, leased);
    long free = Math.max(0, leased.concurrency().max() - current);
    // The ends of the leases are not looked up: all have ended after their time to live.
    long reset = current == 0 ? 0 : leased.concurrency().ttlMicros();
    return free >= check.cost()
        ? new Decision.Allowed(free, reset)
        : new Decision.Refused(free, reset, reset);
  }
}
