package dev.weir.limits.memory;

import dev.weir.StoreException;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import java.time.Duration;

/** Makes up keys of two policies until there is no room for another. */
final class KeysInSmallHeap {
  private static final int MAX_KEYS = 20_000_000;

  private KeysInSmallHeap() {}

  /** Prints how many keys were counted when the store was full. */
  public static void main(String[] arguments) {
    Policy fixed = Policy.of("f", FixedWindow.of(1, Duration.ofHours(1)));
    Policy sliding = Policy.of("s", SlidingWindow.of(1, Duration.ofHours(1)));
    try (MemoryLimitStore store = new MemoryLimitStore()) {
      for (int i = 0; i < MAX_KEYS; i++) {
        try {
          store.take(i % 2 == 0 ? fixed : sliding, "key " + i, 1);
        } catch (StoreException e) {
          System.out.println(e.isFull() ? i : -1);
          return;
        }
      }
    }
    System.out.println(MAX_KEYS);
  }
}
