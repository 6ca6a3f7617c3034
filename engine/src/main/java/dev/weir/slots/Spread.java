package dev.weir.slots;

import dev.weir.internal.Places;

/** How events are distributed within a window. */
public enum Spread {
  /** On the places of {@link Places}: no interval holds much more than its share. */
  EVEN,
  /** At uniformly random times: the rate holds on average only. */
  RANDOM
}
