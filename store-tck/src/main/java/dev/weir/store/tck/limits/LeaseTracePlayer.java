package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LiveLeases;
import dev.weir.store.tck.internal.NastyNames;
import dev.weir.store.tck.limits.LeaseTrace.Step;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Runs a trace on a store and on core, and compares every decision and every count. */
final class LeaseTracePlayer {
  private static final Instant LAST = Instant.parse("2190-01-01T00:00:00Z");

  private final LeaseScene scene;
  private final Map<String, LiveLeases> model = new HashMap<>();
  private long retryMicros;
  private long lastEndMicros = Micros.EARLIEST;

  LeaseTracePlayer(LeaseScene scene) {
    this.scene = scene;
  }

  void play(LeaseTrace trace) {
    trace.steps().forEach(this::play);
    for (int resource = 0; resource < LeaseTrace.RESOURCES; resource++) {
      compareCounts(resource(true, resource), 0);
      compareCounts(resource(false, resource), 1);
    }
  }

  private void play(Step step) {
    long now = scene.nowMicros();
    switch (step) {
      case Step.Acquire acquire -> {
        String resource = resource(false, acquire.resource());
        compare(
            resource,
            scene
                .node(acquire.node())
                .acquire(resource, acquire.limit(), id(acquire.id()), acquire.places()),
            acquire.limit().acquire(leases(resource), id(acquire.id()), acquire.places(), now));
        compareCounts(resource, 1 - acquire.node());
      }
      case Step.Renew renew -> {
        String resource = resource(false, renew.resource());
        compare(
            resource,
            scene.node(renew.node()).renew(resource, renew.limit(), id(renew.id())),
            renew.limit().renew(leases(resource), id(renew.id()), now));
        compareCounts(resource, 1 - renew.node());
      }
      case Step.Release release -> {
        String resource = resource(release.isQueue(), release.resource());
        compare(
            resource,
            scene.node(release.node()).release(resource, id(release.id())),
            Concurrency.release(leases(resource), id(release.id()), now));
        compareCounts(resource, 1 - release.node());
      }
      case Step.ReleaseAfter release -> {
        String resource = resource(release.isQueue(), release.resource());
        long delay = release.delayMicros();
        compare(
            resource,
            scene
                .node(release.node())
                .releaseAfter(resource, id(release.id()), Micros.duration(delay)),
            Concurrency.releaseAfter(leases(resource), id(release.id()), delay, now));
        compareCounts(resource, 1 - release.node());
      }
      case Step.Join join -> {
        String resource = resource(true, join.resource());
        compare(
            resource,
            scene.node(join.node()).join(resource, join.queue(), id(join.id())),
            join.queue().join(leases(resource), id(join.id()), now));
        compareCounts(resource, 1 - join.node());
      }
      case Step.Forget forget -> {
        String resource = resource(forget.isQueue(), forget.resource());
        scene.node(forget.node()).forget(resource);
        model.remove(resource);
        compareCounts(resource, 1 - forget.node());
      }
      case Step.MoveClock move -> moveClock(move.micros());
      case Step.AwaitRetry await -> moveClock(retryMicros + await.moreMicros());
    }
  }

  private void compare(String resource, LeaseDecision actual, LiveLeases.Step<?> expected) {
    assertThat(actual).isEqualTo(expected.decision());
    model.put(resource, expected.next());
    if (actual instanceof LeaseDecision.Full full) {
      retryMicros = full.retryAfterMicros();
    }
  }

  private void compareCounts(String resource, int node) {
    assertThat(scene.node(node).current(resource))
        .isEqualTo(leases(resource).at(scene.nowMicros()).places());
  }

  /** Does not step back before the end of a lease, which a store may have forgotten or not. */
  private void moveClock(long micros) {
    long to = Math.max(scene.nowMicros() + micros, lastEndMicros);
    if (Micros.instant(to).isAfter(LAST)) {
      return;
    }
    scene.moveMicros(to - scene.nowMicros());
    for (LiveLeases leases : model.values()) {
      for (Lease lease : leases.leases()) {
        if (lease.expiresAtMicros() <= to) {
          lastEndMicros = Math.max(lastEndMicros, lease.expiresAtMicros());
        }
      }
    }
  }

  private LiveLeases leases(String resource) {
    return model.getOrDefault(resource, LiveLeases.NONE);
  }

  private String resource(boolean isQueue, int number) {
    return scene.resource((isQueue ? "{q}:" : "{r}:") + number);
  }

  private static String id(int number) {
    return NastyNames.ALL.get(NastyNames.ALL.size() - 1 - number * 4);
  }
}
