package dev.weir.store.redis;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import java.util.ArrayList;
import java.util.List;

/** A request with the names of its keys, which are in one slot on a Cluster. */
sealed interface LimitCall {
  /** Returns one of its keys. */
  String key();

  /** The operation of a call. */
  enum Mode {
    DECIDE(0),
    PEEK(1),
    REFUND(2),
    /** Decides on a single limit; the result is only yes or no. */
    TAKE(3),
    /** Decides on a single limit. */
    DECIDE_ONE(4),
    /** Returns the remembered result of a request id. */
    RECALL(5),
    /** Settles the usage of a single limit that has changed. */
    SETTLE(6),
    /**
     * Decides the part of one slot of a request. A copy of the request that was granted before
     * relies on that grant from then on.
     */
    JOIN(7),
    /**
     * Gives back what was granted by {@link #JOIN}, unless another copy of the request relies on
     * it.
     */
    LEAVE(8);

    /** Its code in the script. */
    final byte code;

    Mode(int code) {
      this.code = (byte) code;
    }
  }

  /**
   * A request for one limit without a request id, the most common case. Those of the same group are
   * sent together.
   */
  record Single(Group group, String key, long cost) implements LimitCall {
    /** Settles the usage with this name. */
    static Single settle(Policy policy, String usage) {
      return new Single(Group.of(Mode.SETTLE, policy), usage, 1);
    }

    static Single of(KeyNames names, Mode mode, LimitRequest limitRequest) {
      return new Single(
          Group.of(mode, limitRequest.policy()),
          names.usage(limitRequest.policy(), limitRequest.key()),
          limitRequest.cost());
    }
  }

  /** The properties shared by singles that are sent together. */
  record Group(
      Mode mode, Limit limit, double usedSinceMicros, double changedAtMicros, Order order) {
    static Group of(Mode mode, Policy policy) {
      return new Group(
          mode,
          policy.limit(),
          LimitCall.usedSinceMicros(policy),
          LimitCall.changedAtMicros(policy),
          Order.of(policy));
    }
  }

  /**
   * What decides whether a policy is older than a usage, see {@link Policy#on}.
   *
   * @param version the version, 0 if there are none
   */
  record Order(double version, double createdAtMicros) {
    /** The order of what is no policy. */
    static final Order NONE = new Order(0, 0);

    static Order of(Policy policy) {
      return policy.version() == Policy.UNORDERED
          ? NONE
          : new Order(policy.version(), (double) policy.createdAtMicros());
    }
  }

  /**
   * Returns the time since which a policy may have been used: a loss before it cannot affect the
   * policy's counts. Policies that prefer to allow too much over refusing ignore losses.
   */
  static double usedSinceMicros(Policy policy) {
    return switch (policy.onStoreFailure()) {
      case CLOSED, FALLBACK -> (double) policy.createdAtMicros();
      case LOCAL, OPEN -> Double.POSITIVE_INFINITY;
    };
  }

  /** Returns the time of the last change of a policy: what was lost before counts as taken then. */
  static double changedAtMicros(Policy policy) {
    return (double) policy.changedAtMicros();
  }

  /**
   * Any other request. If it takes nothing, because it has no limits or waits for all of them, it
   * has a request id.
   *
   * @param micros for a decision, how long its request id is remembered; for what gives back, when
   *     it was granted
   * @param keys the keys of the usages in order, followed by the key of the record if there is a
   *     request id
   */
  record Whole(Mode mode, AcquireRequest request, long micros, List<String> keys)
      implements LimitCall {
    /** On a Cluster, the keys of the request have to be in one slot. */
    static Whole of(
        KeyNames names, boolean isCluster, Mode mode, AcquireRequest request, long micros) {
      List<String> keys = new ArrayList<>(request.parts().size() + 1);
      for (LimitRequest limitRequest : request.parts()) {
        keys.add(names.usage(limitRequest.policy(), limitRequest.key()));
      }
      if (request.isRepeatable() && mode != Mode.PEEK) {
        keys.add(
            isCluster ? recordInSlot(names, request, keys) : names.record(request.requestId()));
      }
      return new Whole(mode, request, micros, keys);
    }

    @Override
    public String key() {
      return keys.getFirst();
    }

    boolean hasRecord() {
      return keys.size() > request.parts().size();
    }

    /** Returns a record in the slot of the first key; without keys, in a slot of the id. */
    private static String recordInSlot(KeyNames names, AcquireRequest request, List<String> keys) {
      return keys.isEmpty()
          ? names.binding(request.requestId())
          : names.record(KeyNames.tagOf(keys.getFirst()), request.requestId());
    }
  }
}
