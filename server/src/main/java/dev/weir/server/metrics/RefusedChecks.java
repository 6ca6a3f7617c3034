package dev.weir.server.metrics;

import dev.weir.rules.RuleCheck;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A sample of the checks that were refused since it was last drained: all of them if they are few,
 * otherwise a random choice of them. Thread-safe, and cheap under a flood of refusals: threads use
 * different stripes, and once a stripe is full, most offers only count.
 *
 * <p>Stripes fill differently, because an event loop is always in the same one. So each one knows
 * how many checks it was offered, and those it holds stand for all of those.
 */
public final class RefusedChecks {
  private static final int STRIPES = 16;
  private static final int PER_STRIPE = 128;

  /** Longs of a cache line, so that threads do not write to the same one. */
  private static final int APART = 8;

  /** The number of checks that it holds at most. */
  public static final int CAPACITY = STRIPES * PER_STRIPE;

  private final AtomicLongArray offers = new AtomicLongArray(STRIPES * APART);
  private final AtomicReferenceArray<@Nullable RuleCheck> checks =
      new AtomicReferenceArray<>(CAPACITY);

  RefusedChecks() {}

  /** Receives the checks of the sample. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes a check.
     *
     * @param weight the number of checks that it stands for
     */
    void accept(RuleCheck check, double weight);
  }

  void offer(RuleCheck check) {
    // Ids of virtual threads are consecutive, so they spread evenly.
    int stripe = (int) Thread.currentThread().threadId() & (STRIPES - 1);
    long before = offers.getAndIncrement(stripe * APART);
    // Each check has the same chance to be held at the end, whenever it came.
    long at = before < PER_STRIPE ? before : ThreadLocalRandom.current().nextLong(before + 1);
    if (at < PER_STRIPE) {
      checks.setRelease(stripe * PER_STRIPE + (int) at, check);
    }
  }

  /**
   * What was drained.
   *
   * @param checks the number of checks that were refused, including those that it did not hold
   * @param variance the variance of the number of any part of them, at most; 0 if all were held
   */
  public record Drained(long checks, double variance) {}

  /** Removes all checks. */
  public Drained drain(Sink to) {
    long all = 0;
    double variance = 0;
    RuleCheck[] held = new RuleCheck[PER_STRIPE];
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      long offered = offers.getAndSet(stripe * APART, 0);
      int known = 0;
      for (int i = 0; i < Math.min(PER_STRIPE, offered); i++) {
        RuleCheck check = checks.getAndSet(stripe * PER_STRIPE + i, null);
        // A thread may have its place, but not have used it yet: then the next drain finds it, or
        // another check is there.
        if (check != null) {
          held[known++] = check;
        }
      }
      all += offered;
      if (offered > PER_STRIPE && known > 0) {
        // Of a sample of k of n, for a part of one half: n² / 4k (1 - k/n). No part has more.
        variance += (double) offered * (offered - known) / (4.0 * known);
      }
      double weight = offered > PER_STRIPE ? (double) offered / known : 1;
      for (int i = 0; i < known; i++) {
        to.accept(held[i], weight);
      }
    }
    return new Drained(all, variance);
  }
}
