package dev.weir.store.jdbc.limits;

import dev.weir.internal.LimitNames;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LiveLeases;
import dev.weir.limits.Queue;

/** One operation on the leases of a resource. */
record LeaseStep(Kind kind, String resource, String id, int places, int max, long micros) {
  /** Kinds of steps, with their numbers in {@code weir_lease_step_1}. */
  enum Kind {
    ACQUIRE(1),
    RENEW(2),
    RELEASE(3),
    JOIN(4),
    END_ALL(5),
    RELEASE_AFTER(6);

    final int number;

    Kind(int number) {
      this.number = number;
    }
  }

  /** Names that a database rejects would fail all steps that share a call. */
  LeaseStep {
    LimitNames.require("resource", resource);
    if (kind != Kind.END_ALL) {
      LimitNames.require("id", id);
    }
  }

  static LeaseStep acquire(String resource, Concurrency limit, String id, int places) {
    return new LeaseStep(Kind.ACQUIRE, resource, id, places, limit.max(), limit.ttlMicros());
  }

  static LeaseStep renew(String resource, Concurrency limit, String id) {
    return new LeaseStep(Kind.RENEW, resource, id, 0, limit.max(), limit.ttlMicros());
  }

  static LeaseStep release(String resource, String id) {
    return new LeaseStep(Kind.RELEASE, resource, id, 0, 0, 0);
  }

  static LeaseStep releaseAfter(String resource, String id, long delayMicros) {
    return new LeaseStep(Kind.RELEASE_AFTER, resource, id, 0, 0, delayMicros);
  }

  static LeaseStep join(String resource, Queue queue, String id) {
    return new LeaseStep(Kind.JOIN, resource, id, 1, queue.maxSize(), queue.delayMicros());
  }

  static LeaseStep endAll(String resource) {
    return new LeaseStep(Kind.END_ALL, resource, "", 0, 0, 0);
  }

  /** Returns true if this step may grant a lease, for which the resource's row has to exist. */
  boolean mayGrant() {
    return kind == Kind.ACQUIRE || kind == Kind.JOIN;
  }

  /** Returns the decision of core about this step, and the leases after it. */
  LiveLeases.Step<? extends LeaseDecision> apply(LiveLeases leases, long nowMicros) {
    return switch (kind) {
      case ACQUIRE -> new Concurrency(max, micros).acquire(leases, id, places, nowMicros);
      case RENEW -> new Concurrency(max, micros).renew(leases, id, nowMicros);
      case RELEASE -> Concurrency.release(leases, id, nowMicros);
      case JOIN -> new Queue(max, micros).join(leases, id, nowMicros);
      case END_ALL -> new LiveLeases.Step<>(LiveLeases.NONE, new LeaseDecision.Gone(0));
      case RELEASE_AFTER -> Concurrency.releaseAfter(leases, id, micros, nowMicros);
    };
  }
}
