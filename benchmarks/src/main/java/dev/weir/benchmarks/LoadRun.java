package dev.weir.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * A closed loop of callers on virtual threads: each calls again as soon as it has its result.
 *
 * <p>Only calls that began after the warm-up and ended before the end are counted, so neither cold
 * code nor the draining tail is measured. The first call that fails ends the run and is rethrown.
 *
 * @param callers the number of concurrent callers
 * @param warmUp how long they call before anything is counted
 * @param measured how long their calls are counted
 * @param nanoTime a clock such as {@link System#nanoTime}
 */
public record LoadRun(int callers, Duration warmUp, Duration measured, LongSupplier nanoTime) {
  private static final long MAX_LATENCY_NANOS = Duration.ofMinutes(2).toNanos();
  private static final int SIGNIFICANT_DIGITS = 3;

  /** One call of one caller. */
  @FunctionalInterface
  public interface Call {
    /**
     * Calls once.
     *
     * @param caller the number of the caller, from 0
     * @param turn the number of earlier calls of this caller, warm-up included
     */
    void ask(int caller, long turn) throws Exception;
  }

  public LoadRun {
    if (callers < 1) {
      throw new IllegalArgumentException("callers must be at least 1, was " + callers);
    }
    if (warmUp.isNegative()) {
      throw new IllegalArgumentException("warmUp must not be negative, was " + warmUp);
    }
    if (!measured.isPositive()) {
      throw new IllegalArgumentException("measured must be positive, was " + measured);
    }
  }

  public LoadRun(int callers, Duration warmUp, Duration measured) {
    this(callers, warmUp, measured, System::nanoTime);
  }

  /** Runs the load to its end and returns the results. */
  public Load of(Call call) throws InterruptedException {
    long countFromNanos = nanoTime.getAsLong() + warmUp.toNanos();
    long endNanos = countFromNanos + measured.toNanos();
    AtomicBoolean failed = new AtomicBoolean();
    List<Future<Histogram>> answers = new ArrayList<>(callers);
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int caller = 0; caller < callers; caller++) {
        int number = caller;
        answers.add(
            executor.submit(() -> askUntil(call, number, countFromNanos, endNanos, failed)));
      }
    }
    Histogram all = newHistogram();
    for (Future<Histogram> answer : answers) {
      try {
        all.add(answer.get());
      } catch (ExecutionException e) {
        throw new IllegalStateException("a caller failed: " + e.getCause(), e.getCause());
      }
    }
    return Load.from(all, measured);
  }

  private Histogram askUntil(
      Call call, int caller, long countFromNanos, long endNanos, AtomicBoolean failed)
      throws Exception {
    Histogram latencies = newHistogram();
    long beganNanos = nanoTime.getAsLong();
    for (long turn = 0; beganNanos - endNanos < 0 && !failed.get(); turn++) {
      try {
        call.ask(caller, turn);
      } catch (Exception e) {
        failed.set(true);
        throw e;
      }
      long endedNanos = nanoTime.getAsLong();
      if (beganNanos - countFromNanos >= 0 && endedNanos - endNanos <= 0) {
        latencies.recordValue(Math.min(endedNanos - beganNanos, MAX_LATENCY_NANOS));
      }
      beganNanos = endedNanos;
    }
    return latencies;
  }

  private static Histogram newHistogram() {
    // A resolution of one microsecond keeps the histogram of each caller small.
    return new Histogram(1_000, MAX_LATENCY_NANOS, SIGNIFICANT_DIGITS);
  }
}
