package dev.weir.store.tck.limits;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Queue;
import java.util.List;

/** A generated sequence of steps on two resources with leases and two with queues. */
public record LeaseTrace(List<Step> steps) {
  static final int RESOURCES = 2;

  static final int IDS = 6;

  /** One step; {@code node} is the node that executes it. */
  sealed interface Step {
    record Acquire(int node, int resource, Concurrency limit, int id, int places) implements Step {}

    record Renew(int node, int resource, Concurrency limit, int id) implements Step {}

    record Release(int node, boolean isQueue, int resource, int id) implements Step {}

    record ReleaseAfter(int node, boolean isQueue, int resource, int id, long delayMicros)
        implements Step {}

    record Join(int node, int resource, Queue queue, int id) implements Step {}

    record Forget(int node, boolean isQueue, int resource) implements Step {}

    record MoveClock(long micros) implements Step {}

    /** Moves the clock by the wait of the last {@code Full}, plus a difference. */
    record AwaitRetry(long moreMicros) implements Step {}
  }
}
