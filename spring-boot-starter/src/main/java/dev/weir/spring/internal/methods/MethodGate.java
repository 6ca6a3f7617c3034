package dev.weir.spring.internal.methods;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Ticket;
import dev.weir.rules.Verdict;
import dev.weir.spring.RateLimitedException;
import dev.weir.spring.internal.gate.Admission;
import dev.weir.spring.internal.gate.RefusedCallException;
import dev.weir.spring.internal.gate.RuleGate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Decides by the rules of this service whether a method may be called. Thread-safe. */
public final class MethodGate {
  private static final Admission.Passed UNLIMITED = new Admission.Passed(List.of(), Ticket.NONE);

  private final RuleIndex index;
  private final RuleEvaluator evaluator;
  private final Executor storeThreads;

  /**
   * Creates a gate.
   *
   * @param storeThreads run store access for callers that must not block
   */
  public MethodGate(RuleIndex index, RuleEvaluator evaluator, Executor storeThreads) {
    this.index = index;
    this.evaluator = evaluator;
    this.storeThreads = storeThreads;
  }

  /**
   * Evaluates a rule. A rule that was removed since the start limits nothing.
   *
   * @throws RateLimitedException if the rule refuses the call, or cannot be evaluated now
   */
  Admission admit(String ruleName, String key) {
    LimitedRule rule = index.find(ruleName);
    if (rule == null) {
      return UNLIMITED;
    }
    Verdict.Decided verdict;
    try {
      verdict = evaluator.decide(List.of(new RuleCheck(rule, key, 1)));
    } catch (StoreException e) {
      // A store in memory has no failover, and can be full.
      throw RefusedCallException.undecided(ruleName, e);
    }
    Admission admission = Admission.of(verdict);
    if (verdict instanceof Verdict.Refused refused
        && admission instanceof Admission.Refused refusal) {
      Duration retryAfter = Micros.duration(refused.retryAfterMicros());
      throw new RefusedCallException(ruleName, retryAfter, refusal);
    }
    return admission;
  }

  /** Evaluates a rule without blocking the caller's thread. */
  CompletableFuture<Admission> admitLater(String ruleName, String key) {
    return CompletableFuture.supplyAsync(() -> admit(ruleName, key), storeThreads);
  }

  /** Ends a call. Idempotent. */
  void end(Ticket ticket) {
    RuleGate.close(ticket);
  }

  /** Ends a call without blocking the caller's thread. */
  CompletableFuture<Void> endLater(Ticket ticket) {
    return ticket.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.runAsync(() -> end(ticket), storeThreads);
  }
}
