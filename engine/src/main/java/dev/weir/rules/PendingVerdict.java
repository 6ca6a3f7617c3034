package dev.weir.rules;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Outcome;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the rules have decided so far about one request. Not thread-safe. */
final class PendingVerdict {
  private final List<RuleCheck> checks;
  private final InstantSource wallClock;

  /** The outcome of each check; null if it is not decided yet. */
  private final @Nullable Outcome[] outcomes;

  private AcquireResult.Mode mode = AcquireResult.Mode.STORE;
  private Optional<Instant> decidedAt = Optional.empty();

  /** True if the response of a store was lost, so that it may have granted this. */
  private boolean isOutcomeUnknown;

  /** The longest of the waits in queues. */
  private long delayMicros;

  private int position;

  /**
   * Creates a verdict without outcomes.
   *
   * @param wallClock the time of a refusal by a lease store, which does not return it
   */
  PendingVerdict(List<RuleCheck> checks, InstantSource wallClock) {
    this.checks = checks;
    this.wallClock = wallClock;
    this.outcomes = new Outcome[checks.size()];
  }

  /** Forgets all outcomes, to decide again. */
  void clear() {
    Arrays.fill(outcomes, null);
    isOutcomeUnknown = false;
    clearDelay();
  }

  void clearDelay() {
    delayMicros = 0;
    position = 0;
  }

  void set(int i, Outcome outcome) {
    outcomes[i] = outcome;
    if (outcome instanceof Delayed delayed) {
      delayMicros = Math.max(delayMicros, delayed.delayMicros());
      position = Math.max(position, delayed.position());
    }
  }

  /** Returns the refusal of a check, or null if it has not refused. */
  Decision.@Nullable Refused refusal(int i) {
    return outcomes[i] instanceof Decision.Refused refused ? refused : null;
  }

  /** Takes the time that has passed off the wait. */
  void hasWaited(long micros) {
    delayMicros = Math.max(0, delayMicros - micros);
  }

  boolean isDelayed() {
    return delayMicros > 0;
  }

  /** Records mode and time of a decision of the counter store. */
  void note(AcquireResult result, boolean hasCounters) {
    isOutcomeUnknown |= result.isOutcomeUnknown();
    if (result.mode() == AcquireResult.Mode.STORE) {
      // The mode stays open if a lease was admitted unchecked, even if the counters were available.
      decidedAt = Optional.of(result.decidedAt());
    } else if (hasCounters) {
      mode = result.mode();
      decidedAt = Optional.of(result.decidedAt());
    }
  }

  /**
   * Records that the request was counted before. If it is refused now because a store is
   * unavailable, it may not be called uncounted.
   */
  void noteRepeated(AcquireResult recorded, boolean hasCounters) {
    note(recorded, hasCounters);
    isOutcomeUnknown |= mode == AcquireResult.Mode.CLOSED;
  }

  /** Records the decision of a lease store. */
  void lease(int i, LimitedRule.Leased leased, LeaseDecision.Acquisition decision) {
    int max = leased.concurrency().max();
    long ttlMicros = leased.concurrency().ttlMicros();
    long free = Math.max(0, max - decision.current());
    outcomes[i] =
        switch (decision) {
          case LeaseDecision.Held held -> {
            decidedAt = Optional.of(grantedAt(held.lease(), ttlMicros));
            yield new Decision.Allowed(free, ttlMicros);
          }
          case LeaseDecision.Full full -> {
            decidedAt = Optional.of(now());
            yield new Decision.Refused(free, full.retryAfterMicros(), full.retryAfterMicros());
          }
          case LeaseDecision.Unchecked unchecked -> {
            mode = AcquireResult.Mode.OPEN;
            decidedAt = Optional.of(grantedAt(unchecked.lease(), ttlMicros));
            yield new Decision.Allowed(max - checks.get(i).cost(), ttlMicros);
          }
          case LeaseDecision.Unavailable unavailable -> {
            mode = AcquireResult.Mode.CLOSED;
            isOutcomeUnknown |= unavailable.mayBeDone();
            decidedAt = Optional.of(now());
            yield new Decision.Refused(
                0, unavailable.retryAfterMicros(), unavailable.retryAfterMicros());
          }
        };
  }

  /** Returns the time at which the lease was granted, by the clock of its store. */
  private static Instant grantedAt(Lease lease, long ttlMicros) {
    return Micros.instant(lease.expiresAtMicros() - ttlMicros);
  }

  private Instant now() {
    return wallClock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  Verdict.Decided refused() {
    return new Verdict.Refused(results(), mode, decidedAt, isOutcomeUnknown);
  }

  Verdict.Decided passed(Ticket ticket, boolean isReplayed) {
    return new Verdict.Passed(results(), mode, decidedAt, ticket, isReplayed);
  }

  Verdict.Decided queued(Ticket ticket, boolean isReplayed) {
    return new Verdict.Queued(
        results(), mode, decidedAt, ticket, delayMicros, position, isReplayed);
  }

  private List<RuleResult> results() {
    List<RuleResult> results = new ArrayList<>(outcomes.length);
    for (int i = 0; i < outcomes.length; i++) {
      Outcome outcome = outcomes[i];
      if (outcome != null) {
        results.add(new RuleResult(checks.get(i), outcome));
      }
    }
    return results;
  }
}
