package dev.weir.engine;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Does something again and again, on a thread of its own, until closed. */
public final class PeriodicTask implements AutoCloseable {
  private final String name;
  private final Runnable work;
  private final Log log;
  private final ScheduledExecutorService thread;

  /** Whether its last turn failed for want of the store; of the thread only. */
  private boolean waits;

  /** Where it says how it goes: of an outage once, when it begins and when it ends. */
  public record Log(
      Consumer<String> info, Consumer<String> warn, BiConsumer<String, Throwable> error) {}

  /**
   * Begins after the first pause.
   *
   * @param name what is done, as the log and the name of the thread say it
   */
  public PeriodicTask(String name, Runnable work, Duration every, Log log) {
    this.name = name;
    this.work = work;
    this.log = log;
    thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-" + name).factory());
    var unused =
        thread.scheduleWithFixedDelay(
            this::turn, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void turn() {
    try {
      work.run();
      if (waits) {
        waits = false;
        log.info().accept("The %s goes on".formatted(name));
      }
    } catch (StoreException e) {
      if (!waits) {
        waits = true;
        log.warn()
            .accept(
                "The %s has to wait until the store is back: %s".formatted(name, e.getMessage()));
      }
    } catch (RuntimeException | Error e) {
      // Or there would be no further turn: one that ran out of memory is logged and tried again.
      log.error().accept("The %s failed and will try again at its next turn".formatted(name), e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
