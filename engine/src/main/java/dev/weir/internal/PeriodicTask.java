package dev.weir.internal;

import dev.weir.StoreException;
import dev.weir.TaskLog;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs a task periodically on its own thread until it is closed. */
public final class PeriodicTask implements AutoCloseable {
  private final String name;
  private final Runnable work;
  private final TaskLog log;
  private final ScheduledExecutorService thread;

  /** True if the last run failed because of the store; accessed by the thread only. */
  private boolean isStoreDown;

  /**
   * Starts the task; its first run is after one period.
   *
   * @param name a description of the task, used in log messages and for the name of the thread
   */
  public PeriodicTask(String name, Runnable work, Duration every, TaskLog log) {
    this.name = name;
    this.work = work;
    this.log = log;
    thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-" + name).factory());
    var unused =
        thread.scheduleWithFixedDelay(
            this::runOnce, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void runOnce() {
    try {
      work.run();
      if (isStoreDown) {
        isStoreDown = false;
        log.info().accept("The %s continues".formatted(name));
      }
    } catch (StoreException e) {
      if (!isStoreDown && !thread.isShutdown()) {
        isStoreDown = true;
        log.warn()
            .accept("The %s is paused until the store is back: %s".formatted(name, e.getMessage()));
      }
    } catch (RuntimeException | Error e) {
      // An exception that escapes would end the schedule: even running out of memory is logged and
      // retried. One that the interruption of a run by its end has caused is not.
      if (!thread.isShutdown()) {
        log.error().accept("The %s failed and will be retried".formatted(name), e);
      }
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
