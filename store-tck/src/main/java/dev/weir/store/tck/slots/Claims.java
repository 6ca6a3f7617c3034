package dev.weir.store.tck.slots;

import dev.weir.slots.SlotPolicy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Supplier;

/** The base of all claims about slots: a store, and scenes on it. */
interface Claims {
  Duration WINDOW = Duration.ofSeconds(4);

  Supplier<Node> storeBy(InstantSource clock);

  /** Creates a new configuration on the store. */
  default Scene scene(SlotPolicy policy) {
    return Scene.of(this::storeBy, policy);
  }

  /** Creates a new configuration of evenly spread windows of four seconds. */
  default Scene scene(int maxPerWindow) {
    return scene(SlotPolicy.of(maxPerWindow, WINDOW));
  }
}
