package dev.weir.store.tck.slots;

import dev.weir.core.slots.SlotPolicy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Supplier;

/** What all claims stand on: a store, and scenes to play on it. */
interface Claims {
  Duration WINDOW = Duration.ofSeconds(4);

  Supplier<Node> storeBy(InstantSource clock);

  /** A new configuration on the store. */
  default Scene scene(SlotPolicy terms) {
    return Scene.of(this::storeBy, terms);
  }

  /** A new configuration of evenly spread windows of four seconds. */
  default Scene scene(int maxPerWindow) {
    return scene(SlotPolicy.of(maxPerWindow, WINDOW));
  }
}
