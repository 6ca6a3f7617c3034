package dev.weir.limits;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * The result of an {@link AcquireRequest}.
 *
 * @param outcomes one for each part, in order. If the whole request is refused, the parts that
 *     would have been granted are {@link Decision.Allowed} with their unchanged remaining units.
 *     Empty if the request id was {@link Repetition.Reused}, or if it is repeated after one of its
 *     rules has become another kind of limit
 * @param decidedAt the time of the decision by the store's clock; a refund refers to it
 * @param mode what made the decision
 * @param repetition what the store knew about the request id
 * @param isOutcomeUnknown true if the request is refused because the response of its store was
 *     lost: the store may have granted it. Repeat the request with the same request id
 */
public record AcquireResult(
    List<Outcome> outcomes,
    Instant decidedAt,
    Mode mode,
    Repetition repetition,
    boolean isOutcomeUnknown) {
  /** What made a decision. */
  public enum Mode {
    /** The store that keeps the counts. */
    STORE,
    /** No store: it is unavailable and the policy allows the request. */
    OPEN,
    /** No store: it is unavailable and the policy refuses the request. */
    CLOSED,
    /** This node alone, with its share of the limit. */
    LOCAL,
    /** The next store. */
    FALLBACK
  }

  /** What a store knew about a request id. */
  public sealed interface Repetition {
    Repetition NONE = new None();

    Repetition REUSED = new Reused();

    /** The id was unknown: the request was decided now. */
    record None() implements Repetition {}

    /**
     * The request was granted before, and nothing was taken this time.
     *
     * @param ago the time since it was granted
     * @param note the {@link RequestBinding#note} of the granted request
     */
    record Replayed(Duration ago, UUID note) implements Repetition {}

    /** The id belongs to a different request: nothing was decided or taken. */
    record Reused() implements Repetition {}
  }

  public AcquireResult {
    outcomes = List.copyOf(outcomes);
  }

  /** Creates the result of a request that was decided now. */
  public AcquireResult(List<Outcome> outcomes, Instant decidedAt, Mode mode) {
    this(outcomes, decidedAt, mode, Repetition.NONE);
  }

  /** Creates the result of a request whose outcome is known. */
  public AcquireResult(
      List<Outcome> outcomes, Instant decidedAt, Mode mode, Repetition repetition) {
    this(outcomes, decidedAt, mode, repetition, false);
  }

  /** Returns the result of a request whose id belongs to a different request. */
  public static AcquireResult reused(Instant at) {
    return new AcquireResult(List.of(), at, Mode.STORE, Repetition.REUSED);
  }

  /** Returns this result as the answer to a repeated request. */
  public AcquireResult replayed(Instant now, UUID note) {
    long agoMicros = Math.max(0, Micros.ceil(now) - Micros.ceil(decidedAt));
    return new AcquireResult(
        outcomes, decidedAt, mode, new Repetition.Replayed(Micros.duration(agoMicros), note));
  }

  /** Returns this result with another mode. */
  public AcquireResult in(Mode other) {
    return new AcquireResult(outcomes, decidedAt, other, repetition, isOutcomeUnknown);
  }

  /** Returns this refusal, marked if the store that failed may have granted the request as well. */
  AcquireResult afterFailure(StoreException failure) {
    boolean isUnknown = isOutcomeUnknown || failure.outcome() == StoreException.Outcome.UNKNOWN;
    return new AcquireResult(outcomes, decidedAt, mode, repetition, isUnknown);
  }

  /** Returns true if the request was granted before and nothing was taken this time. */
  public boolean isReplayed() {
    return repetition instanceof Repetition.Replayed;
  }

  /** Returns true if the request id belongs to a different request, so that nothing was decided. */
  public boolean isReused() {
    return repetition instanceof Repetition.Reused;
  }

  /**
   * Returns the decision on a request for one limit without a queue.
   *
   * @throws IllegalStateException if there is none
   */
  public Decision decision() {
    if (outcomes.size() == 1 && outcomes.getFirst() instanceof Decision decision) {
      return decision;
    }
    throw new IllegalStateException(
        "expected exactly one decision, but the outcomes are " + outcomes);
  }

  /** Returns true if the whole request was granted, possibly after a wait in a queue. */
  public boolean isAllowed() {
    for (Outcome outcome : outcomes) {
      if (outcome instanceof Decision.Refused) {
        return false;
      }
    }
    return !isReused();
  }

  /** Returns the shortest time after which the same request is allowed; zero if it was allowed. */
  public Duration retryAfter() {
    Duration max = Duration.ZERO;
    for (Outcome outcome : outcomes) {
      if (outcome instanceof Decision.Refused refused && refused.retryAfter().compareTo(max) > 0) {
        max = refused.retryAfter();
      }
    }
    return max;
  }
}
