package dev.weir.engine.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * What a store says to a demand.
 *
 * @param outcomes one for each request, in order. If the whole is refused, those that would have
 *     been granted are {@link Decision.Allowed} with what remains, untouched. Empty if the request
 *     id was {@link Repetition.Reused}, or is repeated after one of its rules has become another
 *     kind
 * @param decidedAt by the store's clock; a refund names it
 * @param mode who decided
 * @param repetition what the store knew of the demand's request id
 */
public record AcquireResult(
    List<Outcome> outcomes, Instant decidedAt, Mode mode, Repetition repetition) {
  /** Who decided. */
  public enum Mode {
    /** The store that keeps the counts. */
    STORE,
    /** Nobody: the store is gone and the policy lets pass. */
    OPEN,
    /** Nobody: the store is gone and the policy refuses. */
    CLOSED,
    /** This node by itself, with its share. */
    LOCAL,
    /** The next store. */
    FALLBACK
  }

  /** What a store knew of a request id. */
  public sealed interface Repetition {
    Repetition NONE = new None();

    Repetition REUSED = new Reused();

    /** Nothing: the demand has been decided now. */
    record None() implements Repetition {}

    /**
     * The demand was granted before, and took nothing this time.
     *
     * @param ago how long ago that was
     * @param note the {@link RequestBinding#note} of the demand that was granted
     */
    record Replayed(Duration ago, UUID note) implements Repetition {}

    /** The id belongs to another request: nothing was decided or taken. */
    record Reused() implements Repetition {}
  }

  public AcquireResult {
    outcomes = List.copyOf(outcomes);
  }

  /** An answer to a demand that has been decided now. */
  public AcquireResult(List<Outcome> outcomes, Instant decidedAt, Mode mode) {
    this(outcomes, decidedAt, mode, Repetition.NONE);
  }

  /** An answer to a demand whose request id belongs to another. */
  public static AcquireResult reused(Instant at) {
    return new AcquireResult(List.of(), at, Mode.STORE, Repetition.REUSED);
  }

  /** This answer, given again. */
  public AcquireResult replayed(Instant now, UUID note) {
    long agoMicros = Math.max(0, Micros.ceil(now) - Micros.ceil(decidedAt));
    return new AcquireResult(
        outcomes, decidedAt, mode, new Repetition.Replayed(Micros.duration(agoMicros), note));
  }

  public AcquireResult in(Mode other) {
    return new AcquireResult(outcomes, decidedAt, other, repetition);
  }

  /** Whether the demand had been granted before and took nothing this time. */
  public boolean isReplayed() {
    return repetition instanceof Repetition.Replayed;
  }

  /** Whether the request id belongs to another request, so that nothing was decided. */
  public boolean isReused() {
    return repetition instanceof Repetition.Reused;
  }

  /**
   * The decision on a request for one limit without a queue.
   *
   * @throws IllegalStateException if there is none
   */
  public Decision decision() {
    if (outcomes.size() == 1 && outcomes.getFirst() instanceof Decision decision) {
      return decision;
    }
    throw new IllegalStateException("not one decision, but " + outcomes);
  }

  /** Whether all of it was granted, if only after a wait that the demand brought along. */
  public boolean isAllowed() {
    for (Outcome outcome : outcomes) {
      if (outcome instanceof Decision.Refused) {
        return false;
      }
    }
    return !isReused();
  }

  /** The shortest time after which the same demand is allowed; zero if it was. */
  public Duration retryAfter() {
    Duration longest = Duration.ZERO;
    for (Outcome outcome : outcomes) {
      if (outcome instanceof Decision.Refused refused
          && refused.retryAfter().compareTo(longest) > 0) {
        longest = refused.retryAfter();
      }
    }
    return longest;
  }
}
