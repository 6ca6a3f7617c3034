package dev.weir.store.tck.limits;

import dev.weir.store.tck.limits.LimitClaims.LimitOfEachKind;
import java.util.List;

/**
 * Generated steps on a few policies and keys of a limit store, all small numbers, so that
 * everything collides. Which kind of limit is meant is only a number, because a store need not know
 * all of them.
 *
 * @param limits of the policies, at first
 */
public record LimitTrace(List<Choice> limits, List<Step> steps) {
  static final int POLICIES = 3;

  static final int KEYS = 4;

  /** One of the kinds of limit that a store knows. */
  record Choice(int kind, LimitOfEachKind limits) {}

  /** One step; {@code node} is the node that makes it. */
  sealed interface Step {
    /**
     * Asks for all parts.
     *
     * @param requestId {@link #NO_ID} for none
     * @param waits the parts that are waited for, as bits
     */
    record Decide(int node, List<Part> parts, int requestId, long ttlMillis, int waits)
        implements Step {}

    /** The short form of a decision, yes or no. */
    record Take(int node, Part part) implements Step {}

    record Peek(int node, List<Part> parts) implements Step {}

    /** Gives a grant back, so many before the last one. */
    record Refund(int node, int ago) implements Step {}

    record Forget(int node, int policy, int key) implements Step {}

    record Change(int policy, Choice limit) implements Step {}

    record MoveClock(long micros) implements Step {}

    /** Moves the clock by what the last refusal said, and so much more. */
    record AwaitRetry(long moreMicros) implements Step {}

    /** Moves the clock by the reset of the last decision, and so much more. */
    record AwaitReset(long moreMicros) implements Step {}

    /** Moves the clock to the end of what is remembered of an id, and so much more. */
    record AwaitTtl(int requestId, long moreMicros) implements Step {}
  }

  /** So many thousandths of what could be granted, and so much more. */
  record Part(int policy, int key, int thousandths, long more) {
    long costOf(long most) {
      return Math.clamp(most * thousandths / 1_000 + more, 1, most);
    }
  }

  static final int NO_ID = 0;
}
