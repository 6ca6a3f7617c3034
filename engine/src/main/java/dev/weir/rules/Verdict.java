package dev.weir.rules;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The combined result of all rules that apply to a request. */
public sealed interface Verdict {
  /**
   * Returns the result of each rule, in the order in which they were evaluated; empty if none
   * applied.
   */
  List<RuleResult> results();

  /** Returns the mode of the decision: which store decided, if any. */
  AcquireResult.Mode mode();

  /** Returns the time of the decision by the store's clock; a refund refers to it. */
  Optional<Instant> decidedAt();

  /** The verdict on a request without a request id, or whose id belongs to it. */
  sealed interface Decided extends Verdict {}

  /**
   * The request may proceed. The ticket must be closed when it ends.
   *
   * @param isReplayed true if the request was admitted before, and nothing was taken this time
   */
  record Passed(
      List<RuleResult> results,
      AcquireResult.Mode mode,
      Optional<Instant> decidedAt,
      Ticket ticket,
      boolean isReplayed)
      implements Decided {}

  /**
   * The request may proceed after a wait: call {@link Ticket#waited} then, and close the ticket
   * when the request ends. If the client disconnects while waiting, close the ticket immediately.
   *
   * @param isReplayed true if this repeats the request id of a request that is still waiting
   */
  record Queued(
      List<RuleResult> results,
      AcquireResult.Mode mode,
      Optional<Instant> decidedAt,
      Ticket ticket,
      long delayMicros,
      int position,
      boolean isReplayed)
      implements Decided {
    public Duration delay() {
      return Micros.duration(delayMicros);
    }

    /**
     * Returns the verdict after the wait for a caller that holds its own leases: this one, or a
     * refusal if a lease could not be kept until then. Replaces a call of {@link Ticket#waited}.
     */
    public Decided handedOver() {
      Optional<RuleResult> refusing = ticket.handOver();
      if (refusing.isEmpty()) {
        return this;
      }
      List<RuleResult> instead = new ArrayList<>(results.size());
      for (RuleResult each : results) {
        instead.add(each.check().equals(refusing.get().check()) ? refusing.get() : each);
      }
      return new Refused(instead, mode, decidedAt);
    }
  }

  /** The request id belongs to a different request: nothing was decided or taken. */
  record Reused(Instant at) implements Verdict {
    @Override
    public List<RuleResult> results() {
      return List.of();
    }

    @Override
    public AcquireResult.Mode mode() {
      return AcquireResult.Mode.STORE;
    }

    @Override
    public Optional<Instant> decidedAt() {
      return Optional.of(at);
    }
  }

  /**
   * The request is refused, and nothing was taken unless its outcome is unknown.
   *
   * @param isOutcomeUnknown true if the response of the store was lost, so that it may have granted
   *     the request: a caller with a request id repeats the request with it
   */
  record Refused(
      List<RuleResult> results,
      AcquireResult.Mode mode,
      Optional<Instant> decidedAt,
      boolean isOutcomeUnknown)
      implements Decided {
    /** Creates the verdict on a request of which nothing was taken. */
    public Refused(List<RuleResult> results, AcquireResult.Mode mode, Optional<Instant> decidedAt) {
      this(results, mode, decidedAt, false);
    }

    /**
     * Returns true if a rule is closed because its store is unavailable, or if the store may have
     * granted what this node or the next store refused: whether the limit is exceeded is not known.
     */
    public boolean isUndecided() {
      return mode == AcquireResult.Mode.CLOSED || isOutcomeUnknown;
    }

    /** Returns {@link #retryAfter} in microseconds. */
    public long retryAfterMicros() {
      long max = 0;
      for (RuleResult result : results) {
        if (result.outcome() instanceof Decision.Refused refused) {
          max = Math.max(max, refused.retryAfterMicros());
        }
      }
      return max;
    }

    /** Returns the time until no rule refuses the request if no other units are taken. */
    public Duration retryAfter() {
      return Micros.duration(retryAfterMicros());
    }

    /** Returns the names of the rules that refuse. */
    public List<String> violated() {
      return results.stream()
          .filter(result -> result.outcome() instanceof Decision.Refused)
          .map(result -> result.rule().name())
          .distinct()
          .toList();
    }
  }
}
