package dev.weir.spring;

import dev.weir.engine.StoreException;
import dev.weir.engine.rules.Allowance;
import dev.weir.engine.rules.Rule;
import dev.weir.engine.rules.RuleBook;
import dev.weir.engine.rules.RuleDesk;
import dev.weir.engine.rules.Rules;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews the leases of requests under way and reads the rules anew, until closed. */
final class Upkeep implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
  private static final long LONGEST_PAUSE_MICROS = TimeUnit.SECONDS.toMicros(10);

  /** A lease may miss a turn or two and still be there. */
  private static final int TURNS_IN_A_LEASE = 3;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("weir-upkeep").factory());

  Upkeep(Rules rules, RuleBook book, RuleDesk desk) {
    long pause = pauseMicros(rules);
    var unused =
        thread.scheduleWithFixedDelay(
            () -> {
              tried("renewal of leases", desk::renewLeases);
              tried("reading of rules", book::refresh);
            },
            pause,
            pause,
            TimeUnit.MICROSECONDS);
  }

  /** Short enough for the shortest lease that a rule gives at the start. */
  private static long pauseMicros(Rules rules) {
    long pause = LONGEST_PAUSE_MICROS;
    for (Rule rule : rules.all()) {
      if (rule.terms().allowance() instanceof Allowance.Together together) {
        pause = Math.min(pause, together.concurrency().ttlMicros() / TURNS_IN_A_LEASE);
      }
    }
    return Math.max(1, pause);
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
