package dev.weir.server.wiring.postgresql;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting for what only the operating system can tell and only when asked. */
final class Waiting {
  private static final long PAUSE_MILLIS = 10;

  private Waiting() {}

  /**
   * Waits until the condition holds, at most for {@code bound}, and says whether it does. Not cut
   * short by interruption: a database must be stopped properly by an interrupted thread, too.
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
