package dev.weir.server.envoy;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Where calls wait for their turn without a thread of their own. */
final class WaitingRoom implements AutoCloseable {
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("weir-envoy-waiting").factory());

  WaitingRoom() {
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Does something when the time has come. */
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

  /** Where one waits. */
  @FunctionalInterface
  interface Seat {
    /**
     * Goes away before the turn, if it has not come; then something is done in its place, here and
     * now: a node that is being closed waits for calls that are under way, and for nothing that
     * they leave behind.
     */
    void leave(Runnable farewell);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
