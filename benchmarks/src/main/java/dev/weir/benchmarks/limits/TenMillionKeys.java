package dev.weir.benchmarks.limits;

import dev.weir.limits.Policy;
import dev.weir.limits.memory.MemoryLimitStore;

/** A separate process that fills a store with ten million keys, and prints its number of keys. */
final class TenMillionKeys {
  static final int KEYS = 10_000_000;

  private TenMillionKeys() {}

  public static void main(String[] arguments) {
    // One policy may have half of all keys.
    MemoryLimitStore store = new MemoryLimitStore(KEYS * 2L);
    Policy policy = Policy.of("api", Subject.bucket());
    for (int i = 0; i < KEYS; i++) {
      if (!store.take(policy, "user:" + i, 1)) {
        throw new IllegalStateException("refused");
      }
    }
    System.out.println(store.keys());
  }
}
