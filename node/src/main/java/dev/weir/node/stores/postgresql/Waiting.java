package dev.weir.node.stores.postgresql;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for conditions that can only be polled from the operating system. */
final class Waiting {
  private static final long PAUSE_MILLIS = 10;

  private Waiting() {}

  /**
   * Waits until the condition holds, up to {@code bound}, and returns whether it does. Ignores
   * interruption, because an interrupted thread must also stop a database properly.
   */
  static boolean until(BooleanSupplier condition, Duration bound) {
    long deadlineNanos = System.nanoTime() + bound.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadlineNanos >= 0) {
        return false;
      }
      new CompletableFuture<Boolean>()
          .completeOnTimeout(true, PAUSE_MILLIS, TimeUnit.MILLISECONDS)
          .join();
    }
    return true;
  }
}
