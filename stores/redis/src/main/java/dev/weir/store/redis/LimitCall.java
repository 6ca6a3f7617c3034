package dev.weir.store.redis;

import dev.weir.core.Micros;
import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.Policy;
import java.util.ArrayList;
import java.util.List;

/** A demand with the names of its keys, which on a Cluster lie in one slot. */
sealed interface LimitCall {
  /** One of its keys. */
  String key();

  /** What to do. */
  enum Mode {
    DECIDE(0),
    PEEK(1),
    REFUND(2),
    /** To one limit alone, yes or no. */
    TAKE(3),
    /** To one limit alone. */
    DECIDE_ONE(4),
    /** What is remembered of the request id. */
    RECALL(5);

    /** By which the script knows it. */
    final byte code;

    Mode(int code) {
      this.code = (byte) code;
    }
  }

  /**
   * A demand that asks one limit and has no request id, as nearly all do. Those of the same terms
   * go together.
   */
  record Single(Terms terms, String key, long cost) implements LimitCall {
    static Single of(KeyNames names, Mode mode, LimitRequest ask) {
      return new Single(
          new Terms(mode, ask.policy().limit(), usedSinceMicros(ask.policy())),
          names.usage(ask.policy(), ask.key()),
          ask.cost());
    }
  }

  /** What singles that go together have in common. */
  record Terms(Mode mode, Limit limit, double usedSinceMicros) {}

  /**
   * Since when a policy may have been used: what was lost before that is none of its counts. Those
   * that rather let pass too much than refuse go on as if nothing was lost.
   */
  static double usedSinceMicros(Policy policy) {
    return switch (policy.onStoreFailure()) {
      case CLOSED, FALLBACK -> (double) Micros.clamped(policy.createdAt());
      case LOCAL, OPEN -> Double.POSITIVE_INFINITY;
    };
  }

  /**
   * Any other demand. One that has no asks, or only asks that are waited for, has a request id.
   *
   * @param micros for a decision how long its request id is remembered, for a refund when it was
   *     granted
   * @param keys of the asks in their order, and at the end of the record if there is a request id
   */
  record Whole(Mode mode, AcquireRequest demand, long micros, List<String> keys)
      implements LimitCall {
    /** On a Cluster, the keys of the demand have to lie in one slot. */
    static Whole of(
        KeyNames names, boolean isCluster, Mode mode, AcquireRequest demand, long micros) {
      List<String> keys = new ArrayList<>(demand.asks().size() + 1);
      for (LimitRequest ask : demand.asks()) {
        keys.add(names.usage(ask.policy(), ask.key()));
      }
      if (demand.isRepeatable() && mode != Mode.PEEK) {
        keys.add(isCluster ? recordInSlot(names, demand, keys) : names.record(demand.requestId()));
      }
      return new Whole(mode, demand, micros, keys);
    }

    @Override
    public String key() {
      return keys.getFirst();
    }

    boolean hasRecord() {
      return keys.size() > demand.asks().size();
    }

    /** In the slot of the first key; without a key, in a slot of the id's own. */
    private static String recordInSlot(KeyNames names, AcquireRequest demand, List<String> keys) {
      return keys.isEmpty()
          ? names.binding(demand.requestId())
          : names.record(KeyNames.tagOf(keys.getFirst()), demand.requestId());
    }
  }
}
