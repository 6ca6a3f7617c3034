package dev.weir.server.wiring;

import dev.weir.engine.StoreException;
import dev.weir.engine.slots.Reconciler;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the reconciler again and again, on a thread of its own, until closed. */
final class Upkeep implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("weir-upkeep").factory());

  Upkeep(Reconciler reconciler, Duration every) {
    var unused =
        thread.scheduleWithFixedDelay(
            () -> run(reconciler), every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void run(Reconciler reconciler) {
    try {
      reconciler.run();
    } catch (StoreException e) {
      log.warn("Upkeep has to wait for its next turn: {}", e.getMessage());
    } catch (RuntimeException e) {
      log.error("Upkeep failed and will try again at its next turn", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
