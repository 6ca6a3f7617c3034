package dev.weir.limits.memory;

import com.sun.management.ThreadMXBean;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Writes how many bytes 1,000 answers yes or no leave behind, once the compiler has seen them. It
 * has a JVM of its own: in one where other tests called the same code with other types, the
 * compiler may never find out that a result does not leave its method.
 */
final class GarbageOfAnswers {
  static final int ANSWERS = 1_000;

  /** The compiler has threads of its own, which get little of a busy machine. */
  private static final long MAX_COMPILATION_NANOS = Duration.ofMinutes(5).toNanos();

  private GarbageOfAnswers() {}

  public static void main(String[] args) {
    MemoryLimitStore store = new MemoryLimitStore();
    long bytes = 0;
    for (Limit limit :
        List.of(
            TokenBucket.of(1_000_000).refill(1, Duration.ofMinutes(1)),
            FixedWindow.of(1_000_000_000, Duration.ofHours(1)))) {
      bytes = Math.max(bytes, minBytes(store, Policy.of("api", limit)));
    }
    System.out.println(bytes);
  }

  /** Returns the minimum over as many rounds as the compiler may need. */
  private static long minBytes(MemoryLimitStore store, Policy policy) {
    String[] keys = new String[ANSWERS];
    Arrays.setAll(keys, i -> "user:" + i);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long min = Long.MAX_VALUE;
    long beginNanos = System.nanoTime();
    while (min >= ANSWERS && System.nanoTime() - beginNanos < MAX_COMPILATION_NANOS) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (String key : keys) {
        store.take(policy, key, 1);
      }
      min = Math.min(min, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return min;
  }
}
