package dev.weir.store.surrealdb;

import dev.weir.StoreException;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.util.function.Supplier;

/** Repeats a call until SurrealDB responds. */
final class Eventually {
  private static final Duration MAX_WAIT = Duration.ofMinutes(4);

  private Eventually() {}

  static <T> T answer(Supplier<T> call) {
    long deadlineNanos = System.nanoTime() + MAX_WAIT.toNanos();
    while (true) {
      try {
        return call.get();
      } catch (StoreException e) {
        if (System.nanoTime() > deadlineNanos) {
          throw e;
        }
        Await.pause();
      }
    }
  }
}
