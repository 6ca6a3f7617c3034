package dev.weir.spring;

import dev.weir.engine.StoreException;
import dev.weir.engine.rules.RuleBook;
import dev.weir.engine.rules.RuleDesk;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews the leases of requests under way and reads the rules anew, until closed. */
final class Upkeep implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
  private static final Duration BETWEEN_READINGS = Duration.ofSeconds(10);

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("weir-upkeep").factory());

  Upkeep(RuleBook book, RuleDesk desk) {
    every(RuleDesk.BETWEEN_RENEWALS, "renewal of leases", desk::renewLeases);
    every(BETWEEN_READINGS, "reading of rules", book::refresh);
  }

  private void every(Duration pause, String name, Runnable work) {
    var unused =
        thread.scheduleWithFixedDelay(
            () -> tried(name, work), pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void tried(String name, Runnable work) {
    try {
      work.run();
    } catch (StoreException e) {
      log.warn("The {} has to wait for its next turn: {}", name, e.getMessage());
    } catch (RuntimeException e) {
      log.error("The {} failed and will try again at its next turn", name, e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
