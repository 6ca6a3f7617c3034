package dev.weir.store.tck.internal;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for what other threads and processes do, and leaves them the processor meanwhile. The bound
 * is for tests that would never end: a busy machine does not reach it.
 */
public final class Await {
  private static final Duration MAX_WAIT = Duration.ofMinutes(4);
  private static final long PAUSE_NANOS = 1_000_000;

  private Await() {}

  /** Returns when something has become so. */
  public static void until(BooleanSupplier isSo) {
    long deadlineNanos = deadlineNanos();
    while (!isSo.getAsBoolean()) {
      if (isOver(deadlineNanos)) {
        throw new AssertionError("it did not happen within " + MAX_WAIT);
      }
      pause();
    }
  }

  /** Repeats a call until the store answers it. */
  public static <T> T answer(Callable<T> call) {
    long deadlineNanos = deadlineNanos();
    while (true) {
      try {
        return call.call();
      } catch (StoreException e) {
        if (isOver(deadlineNanos)) {
          throw e;
        }
        pause();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Lets others run before the next look. */
  public static void pause() {
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  private static long deadlineNanos() {
    return System.nanoTime() + MAX_WAIT.toNanos();
  }

  private static boolean isOver(long deadlineNanos) {
    return System.nanoTime() - deadlineNanos > 0;
  }
}
