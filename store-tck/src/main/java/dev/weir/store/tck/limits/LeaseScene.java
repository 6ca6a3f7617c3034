package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.Micros;
import dev.weir.core.limits.Lease;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.store.tck.SettableClock;
import dev.weir.store.tck.slots.Scene;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/** A test's own resources on a lease store, used from two nodes. */
final class LeaseScene {
  final SettableClock clock;
  final LeaseStore node;
  final LeaseStore otherNode;
  private final String prefix = UUID.randomUUID() + "/";

  private LeaseScene(SettableClock clock, Supplier<LeaseStore> nodes) {
    this.clock = clock;
    this.node = nodes.get();
    this.otherNode = nodes.get();
  }

  static LeaseScene of(Function<InstantSource, Supplier<LeaseStore>> storeBy) {
    SettableClock clock = new SettableClock(Scene.NOON);
    return new LeaseScene(clock, storeBy.apply(clock));
  }

  /** Returns one of the two nodes, by the number of a caller. */
  LeaseStore node(int caller) {
    return caller % 2 == 0 ? node : otherNode;
  }

  String resource(String name) {
    return prefix + name;
  }

  long nowMicros() {
    return Micros.ceil(clock.instant());
  }

  void moveMicros(long micros) {
    clock.move(Micros.duration(micros));
  }

  static Lease lease(LeaseDecision decision) {
    assertThat(decision).isInstanceOf(LeaseDecision.Held.class);
    return ((LeaseDecision.Held) decision).lease();
  }
}
