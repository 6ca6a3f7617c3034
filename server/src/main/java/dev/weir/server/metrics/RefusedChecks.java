package dev.weir.server.metrics;

import dev.weir.engine.rules.RuleCheck;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * A sample of the checks that were refused since it was last drained: all of them if they are few,
 * otherwise the first ones. Thread-safe, and cheap under a flood of refusals: threads use different
 * stripes, and once a stripe is full, an offer only reads.
 */
public final class RefusedChecks {
  private static final int STRIPES = 16;
  private static final int PER_STRIPE = 128;

  /** Ints of a cache line, so that threads do not write to the same one. */
  private static final int APART = 16;

  /** The number of checks that it holds at most. */
  public static final int CAPACITY = STRIPES * PER_STRIPE;

  private final AtomicIntegerArray sizes = new AtomicIntegerArray(STRIPES * APART);
  private final AtomicReferenceArray<RuleCheck> checks = new AtomicReferenceArray<>(CAPACITY);

  RefusedChecks() {}

  void offer(RuleCheck check) {
    // Ids of virtual threads are consecutive, so they spread evenly.
    int stripe = (int) Thread.currentThread().threadId() & (STRIPES - 1);
    if (sizes.get(stripe * APART) < PER_STRIPE) {
      int at = sizes.getAndIncrement(stripe * APART);
      if (at < PER_STRIPE) {
        checks.setRelease(stripe * PER_STRIPE + at, check);
      }
    }
  }

  /**
   * What was drained.
   *
   * @param isFull true if there may have been more checks than it holds
   */
  public record Drained(int checks, boolean isFull) {}

  /** Removes all checks. */
  public Drained drain(Consumer<RuleCheck> to) {
    int drained = 0;
    boolean isFull = false;
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      int size = Math.min(PER_STRIPE, sizes.getAndSet(stripe * APART, 0));
      isFull |= size == PER_STRIPE;
      for (int i = 0; i < size; i++) {
        RuleCheck check = checks.getAndSet(stripe * PER_STRIPE + i, null);
        // A thread may have its place, but not have used it yet: then the next drain finds it, or
        // another check is there.
        if (check != null) {
          to.accept(check);
          drained++;
        }
      }
    }
    return new Drained(drained, isFull);
  }
}
