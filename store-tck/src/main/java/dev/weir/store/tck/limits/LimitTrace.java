package dev.weir.store.tck.limits;

import dev.weir.store.tck.limits.LimitClaims.LimitOfEachKind;
import java.util.List;

/**
 * A generated sequence of steps on a few policies and keys of a limit store, all small numbers, so
 * that everything collides. Kinds of limits are numbers, because a store need not support all of
 * them.
 *
 * @param limits initial limits of the policies
 */
public record LimitTrace(List<Choice> limits, List<Step> steps) {
  static final int POLICIES = 3;

  static final int KEYS = 4;

  /** One of the kinds of limit that a store supports. */
  record Choice(int kind, LimitOfEachKind limits) {}

  /** One step; {@code node} is the node that executes it. */
  sealed interface Step {
    /**
     * Requests all parts.
     *
     * @param requestId {@link #NO_ID} for none
     * @param waits bit mask of the parts that are waited for
     */
    record Decide(int node, List<Part> parts, int requestId, long ttlMillis, int waits)
        implements Step {}

    /** The short form of a decision, which returns only yes or no. */
    record Take(int node, Part part) implements Step {}

    record Peek(int node, List<Part> parts) implements Step {}

    /** Refunds a grant, counted back from the last one. */
    record Refund(int node, int ago) implements Step {}

    record Forget(int node, int policy, int key) implements Step {}

    record Change(int policy, Choice limit) implements Step {}

    /** Tells the store that a policy has changed. */
    record Settle(int node, int policy) implements Step {}

    /** Tells the store that a policy has changed for one key. */
    record SettleKey(int node, int policy, int key) implements Step {}

    record MoveClock(long micros) implements Step {}

    /** Moves the clock by the wait of the last refusal, plus a difference. */
    record AwaitRetry(long moreMicros) implements Step {}

    /** Moves the clock by the reset of the last decision, plus a difference. */
    record AwaitReset(long moreMicros) implements Step {}

    /** Moves the clock to the time at which an id is forgotten, plus a difference. */
    record AwaitTtl(int requestId, long moreMicros) implements Step {}
  }

  /** A cost in thousandths of the max that could be granted, plus a difference. */
  record Part(int policy, int key, int thousandths, long more) {
    long costOf(long max) {
      return Math.clamp(max * thousandths / 1_000 + more, 1, max);
    }
  }

  static final int NO_ID = 0;
}
