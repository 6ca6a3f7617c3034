package dev.weir.server.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Waiting for other processes, which tell nothing by themselves; always bounded. */
final class Waiting {
  private static final long PAUSE_MILLIS = 20;

  private Waiting() {}

  /** What is waited for. */
  interface Condition {
    boolean holds() throws InterruptedException;
  }

  static void until(String what, Duration bound, Condition condition) {
    long deadlineNanos = System.nanoTime() + bound.toNanos();
    try {
      while (!condition.holds()) {
        if (System.nanoTime() - deadlineNanos > 0) {
          throw new AssertionError("waited " + bound + " in vain for " + what);
        }
        new CompletableFuture<Boolean>()
            .completeOnTimeout(true, PAUSE_MILLIS, TimeUnit.MILLISECONDS)
            .join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for " + what, e);
    }
  }
}
