package dev.weir.server.envoy;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Lets calls wait for their turn without holding a thread. */
final class WaitingRoom implements AutoCloseable {
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("weir-envoy-waiting").factory());

  WaitingRoom() {
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Runs {@code turn} after the delay, unless the caller leaves first. */
  Seat wait(long delayMicros, Runnable turn) {
    AtomicBoolean isOver = new AtomicBoolean();
    Future<?> future =
        timer.schedule(
            () -> {
              if (isOver.compareAndSet(false, true)) {
                turn.run();
              }
            },
            delayMicros,
            TimeUnit.MICROSECONDS);
    return farewell -> {
      if (isOver.compareAndSet(false, true)) {
        future.cancel(false);
        farewell.run();
      }
    };
  }

  /** The place of a waiting call. */
  @FunctionalInterface
  interface Seat {
    /**
     * Leaves before the turn. If the turn has not come yet, it is cancelled and {@code farewell}
     * runs instead, on the calling thread: a node that shuts down waits for calls in progress, but
     * not for tasks that they leave behind.
     */
    void leave(Runnable farewell);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
