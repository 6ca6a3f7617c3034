package dev.weir.slots.internal;

import static java.util.Objects.requireNonNull;

import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotUpkeep;
import java.time.Duration;
import java.time.Instant;
import java.util.function.ToIntFunction;

/**
 * Finds leaked slots, whose caller crashed between assignment and start, reclaims them if
 * configured, and removes slots that are older than the retention. Runs on one node at a time, in
 * small steps.
 */
public final class Reconciler implements Runnable {
  /** Counting further would only be expensive; "a million or more" is alarming enough. */
  private static final int MAX_COUNTED = 1_000_000;

  private static final int STEP = 2_000;

  private final SlotUpkeep upkeep;
  private final Settings settings;
  private final SlotObserver observer;

  /**
   * What to do with old slots.
   *
   * @param leakGrace the time after which an unconfirmed slot counts as leaked, from the later of
   *     its scheduled time and its assignment
   * @param reclaim true to reclaim leaked slots
   * @param retention the time for which past slots are kept, from the later of their scheduled time
   *     and their assignment; {@link #FOREVER} to keep them forever
   * @param maxSteps the maximum number of small steps of each kind in one run
   */
  public record Settings(Duration leakGrace, boolean reclaim, Duration retention, int maxSteps) {
    public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** A hundred years, which every store can subtract from the time. */
    private static final Duration MAX_AGE = Duration.ofDays(36_525);

    public Settings {
      requireAge("leakGrace", leakGrace);
      if (!FOREVER.equals(retention)) {
        requireAge("retention", retention);
      }
      if (maxSteps < 1) {
        throw new IllegalArgumentException("maxSteps must be at least 1, not " + maxSteps);
      }
    }

    private static void requireAge(String field, Duration age) {
      requireNonNull(age, field);
      if (age.isNegative() || age.compareTo(MAX_AGE) > 0) {
        throw new IllegalArgumentException(
            "%s must be from %s to %s, not %s".formatted(field, Duration.ZERO, MAX_AGE, age));
      }
    }
  }

  public Reconciler(SlotUpkeep upkeep, Settings settings, SlotObserver observer) {
    this.upkeep = upkeep;
    this.settings = settings;
    this.observer = observer;
  }

  /** Runs one round, unless another node is doing so. */
  @Override
  public void run() {
    upkeep.runExclusively(
        () -> {
          Instant now = upkeep.now();
          Instant leakedBefore = now.minus(settings.leakGrace());
          if (settings.reclaim()) {
            observer.reclaimed(inSteps(max -> upkeep.reclaim(leakedBefore, max)));
          }
          observer.leaked(upkeep.countLeaked(leakedBefore, MAX_COUNTED));
          if (!settings.retention().equals(Settings.FOREVER)) {
            Instant oldest = now.minus(settings.retention());
            observer.removed(inSteps(max -> upkeep.removePast(oldest, max)));
          }
          inSteps(upkeep::tidy);
        });
  }

  private int inSteps(ToIntFunction<Integer> step) {
    int sum = 0;
    for (int i = 0; i < settings.maxSteps(); i++) {
      int done = step.applyAsInt(STEP);
      sum += done;
      if (done < STEP) {
        break;
      }
    }
    return sum;
  }
}
