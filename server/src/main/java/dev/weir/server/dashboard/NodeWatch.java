package dev.weir.server.dashboard;

import dev.weir.http.endpoints.Readiness;
import dev.weir.limits.AcquireResult;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.metrics.SlotMetrics;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Knows whether the node works. To find out whether it is ready costs a question to the database,
 * which is asked only while there are viewers. Thread-safe.
 */
final class NodeWatch {
  /** The worst mode of this many seconds is shown. */
  private static final int RECENT_SECONDS = 10;

  /** From the worst to the best. */
  private static final List<AcquireResult.Mode> MODES =
      List.of(
          AcquireResult.Mode.CLOSED,
          AcquireResult.Mode.OPEN,
          AcquireResult.Mode.LOCAL,
          AcquireResult.Mode.FALLBACK,
          AcquireResult.Mode.STORE);

  private final Readiness readiness;
  private final LimitMetrics limits;
  private final SlotMetrics slots;
  private final SampleRing ring;
  private final AtomicBoolean isAsking = new AtomicBoolean();
  private volatile String lastReason = "";

  NodeWatch(Readiness readiness, LimitMetrics limits, SlotMetrics slots, SampleRing ring) {
    this.readiness = readiness;
    this.limits = limits;
    this.slots = slots;
    this.ring = ring;
  }

  /** Returns the state. Asks whether the node is ready, which may take as long as its database. */
  NodeState ask() {
    lastReason = readiness.reasonAgainst();
    return lastKnown();
  }

  /** Forgets whether the node was ready, because it will not be asked again soon. */
  void forget() {
    lastReason = "";
  }

  /** Asks in the background whether the node is ready, unless such a question is still open. */
  void askAside() {
    if (isAsking.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("readiness for the dashboard")
          .start(
              () -> {
                try {
                  ask();
                } finally {
                  isAsking.set(false);
                }
              });
    }
  }

  /** Returns the state as far as it is known without a question to the database. */
  NodeState lastKnown() {
    List<AcquireResult.Mode> modes = recentModes();
    return new NodeState(
        lastReason,
        readiness.warnings(),
        limits.goneStores().stream().sorted().toList(),
        modes.isEmpty() ? AcquireResult.Mode.STORE : modes.getFirst(),
        modes,
        slots.counts().leaked());
  }

  private List<AcquireResult.Mode> recentModes() {
    List<Sample> recent = ring.newest(RECENT_SECONDS);
    return MODES.stream()
        .filter(mode -> recent.stream().anyMatch(sample -> sample.get(Series.of(mode)) > 0))
        .toList();
  }

  /** Returns true if nothing is known against the stores of this node. */
  boolean isUp(Sample sample) {
    return lastReason.isEmpty()
        && limits.goneStores().isEmpty()
        && sample.get(Series.SLOTS_FAILED) == 0;
  }
}
