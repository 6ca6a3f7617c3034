package dev.weir.server.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Waiting for what tells nothing by itself, such as other processes; always bounded. */
public final class Waiting {
  /** Only what never comes takes so long, on however busy a machine. */
  private static final Duration LONG = Duration.ofMinutes(5);

  private static final long PAUSE_MILLIS = 40;

  private Waiting() {}

  /** What is waited for. */
  public interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  public static void until(String what, Condition condition) {
    until(what, LONG, condition);
  }

  public static void until(String what, Duration bound, Condition condition) {
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
    } catch (IOException e) {
      throw new UncheckedIOException("while waiting for " + what, e);
    }
  }
}
