package dev.weir.server.dashboard;

import dev.weir.StoreException;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Rules;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sample data, and for a bounded time requests that use it, so that a new user sees something
 * move. One run at a time; it ends after its time, on request, or when the node is closed.
 */
public final class DemoTraffic implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DemoTraffic.class);

  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int CHECKS_PER_ROUND = 12;
  private static final int SLOTS_PER_ROUND = 4;
  private static final int USERS = 40;

  private final DemoData data;
  private final SlotScheduler scheduler;
  private final RuleIndex index;
  private final RuleEvaluator evaluator;
  private final AtomicReference<@Nullable Run> current = new AtomicReference<>();

  public DemoTraffic(
      SlotScheduler scheduler, Rules rules, RuleIndex index, RuleEvaluator evaluator) {
    this.data = new DemoData(scheduler, rules, index);
    this.scheduler = scheduler;
    this.index = index;
    this.evaluator = evaluator;
  }

  /** A run. Its thread is started once the data is there. */
  private static final class Run {
    private volatile boolean isStopped;
  }

  /** Reserves the only run; returns false if one is running. */
  boolean reserve() {
    return current.compareAndSet(null, new Run());
  }

  /**
   * Makes the data and starts the requests of the reserved run.
   *
   * @return the number of events that were assigned slots
   */
  int start(int seconds) {
    Run run = current.get();
    boolean isStarted = false;
    try {
      String name = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
      int events = data.make(name);
      if (run != null && seconds > 0) {
        long endNanos = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        Thread.ofVirtual().name("sample traffic").start(() -> repeat(run, name, endNanos));
        isStarted = true;
      }
      return events;
    } finally {
      if (!isStarted) {
        current.compareAndSet(run, null);
      }
    }
  }

  boolean isRunning() {
    return current.get() != null;
  }

  /** Ends the run and removes the rules. */
  void remove() {
    close();
    data.removeRules();
  }

  private void repeat(Run run, String name, long endNanos) {
    SplittableRandom random = new SplittableRandom();
    try {
      for (int round = 0; !run.isStopped && System.nanoTime() < endNanos; round++) {
        round(name + "-" + round, random);
        Thread.sleep(PAUSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (StoreException e) {
      log.info("The sample traffic ends, because a store does not answer: {}", e.getMessage());
    } finally {
      current.compareAndSet(run, null);
    }
  }

  private void round(String name, SplittableRandom random) {
    for (int i = 0; i < CHECKS_PER_ROUND; i++) {
      check(List.of(DemoData.API, DemoData.TRIAL), user(random));
    }
    check(List.of(DemoData.LOGIN), user(random));
    List<SlotRequest> events = new ArrayList<>(SLOTS_PER_ROUND);
    for (int i = 0; i < SLOTS_PER_ROUND; i++) {
      events.add(SlotRequest.now("sample-%s-%d".formatted(name, i), DemoData.BANK));
    }
    scheduler.assign(events);
  }

  /** Returns a user; a few of them are much busier than the others. */
  private static String user(SplittableRandom random) {
    double share = random.nextDouble();
    return "user-" + (int) (USERS * share * share * share);
  }

  private void check(List<String> rules, String key) {
    List<RuleCheck> checks = new ArrayList<>(rules.size());
    for (String rule : rules) {
      LimitedRule limited = index.find(rule);
      if (limited != null) {
        checks.add(new RuleCheck(limited, key, 1));
      }
    }
    if (!checks.isEmpty()) {
      evaluator.decide(checks, RuleEvaluator.Repeat.NONE);
    }
  }

  /** Ends the run, if there is one. */
  @Override
  public void close() {
    Run run = current.get();
    if (run != null) {
      run.isStopped = true;
    }
  }
}
