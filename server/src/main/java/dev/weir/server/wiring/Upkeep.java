package dev.weir.server.wiring;

import dev.weir.engine.StoreException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does something again and again, on a thread of its own, until closed. */
final class Upkeep implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);

  private final ScheduledExecutorService thread;

  /** Whether its last turn failed for want of the store; of the thread only. */
  private boolean waits;

  /**
   * @param name what is done, as the log and the name of the thread say it
   */
  Upkeep(String name, Runnable work, Duration every) {
    thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-" + name).factory());
    var unused =
        thread.scheduleWithFixedDelay(
            () -> run(name, work), every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run(String name, Runnable work) {
    try {
      work.run();
      if (waits) {
        waits = false;
        log.info("The {} goes on", name);
      }
    } catch (StoreException e) {
      if (!waits) {
        waits = true;
        log.warn("The {} has to wait until the store is back: {}", name, e.getMessage());
      }
    } catch (RuntimeException e) {
      log.error("The {} failed and will try again at its next turn", name, e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
