package dev.weir.store.tck.limits;

import dev.weir.internal.Micros;
import dev.weir.store.tck.SettableClock;
import dev.weir.store.tck.slots.Scene;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Two nodes on one store with a settable clock. Names are unique to the scene, because one store
 * serves all scenes.
 *
 * @param <S> the kind of store
 */
abstract class TwoNodeScene<S> {
  final SettableClock clock = new SettableClock(Scene.NOON);
  final S node;
  final S otherNode;
  private final String prefix = UUID.randomUUID() + "/";

  TwoNodeScene(Function<InstantSource, Supplier<S>> storeBy) {
    Supplier<S> nodes = storeBy.apply(clock);
    this.node = nodes.get();
    this.otherNode = nodes.get();
  }

  /** Returns one of the two nodes, by the number of a caller. */
  final S node(int caller) {
    return caller % 2 == 0 ? node : otherNode;
  }

  /** Returns a name that is unique to this scene. */
  final String named(String name) {
    return prefix + name;
  }

  final long nowMicros() {
    return Micros.ceil(clock.instant());
  }

  /** Returns the time since the scene began. */
  final long sinceNoonSeconds() {
    return Duration.between(Scene.NOON, clock.instant()).toSeconds();
  }

  final void moveMicros(long micros) {
    clock.move(Micros.duration(micros));
  }
}
