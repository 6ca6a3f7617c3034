package dev.weir.engine.slots;

import java.time.Duration;
import java.time.Instant;
import java.util.function.ToIntFunction;

/**
 * Finds slots that leaked (their caller crashed between assignment and start), takes them back if
 * it should, and removes what is older than the retention. One node at a time does it, in small
 * steps.
 */
public final class Reconciler implements Runnable {
  /** Counting further would only cost; "a million or more" is alarming enough. */
  private static final int MOST_COUNTED = 1_000_000;

  private static final int STEP = 2_000;

  private final SlotUpkeep upkeep;
  private final Settings settings;
  private final SlotObserver observer;

  /**
   * What to do with what is old.
   *
   * @param leakGrace how long after the later of its time and its assignment an unconfirmed slot
   *     counts as leaked
   * @param reclaim whether to take leaked slots back
   * @param retention how long past slots are kept after the later of their time and their
   *     assignment, {@link #FOREVER} for ever
   * @param mostSteps how many small steps of each kind one run makes
   */
  public record Settings(Duration leakGrace, boolean reclaim, Duration retention, int mostSteps) {
    public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);
  }

  public Reconciler(SlotUpkeep upkeep, Settings settings, SlotObserver observer) {
    this.upkeep = upkeep;
    this.settings = settings;
    this.observer = observer;
  }

  /** One round, unless another node is at it. */
  @Override
  public void run() {
    upkeep.alone(
        () -> {
          Instant now = upkeep.now();
          Instant leakedBefore = now.minus(settings.leakGrace());
          if (settings.reclaim()) {
            observer.reclaimed(inSteps(most -> upkeep.reclaim(leakedBefore, most)));
          }
          observer.leaked(upkeep.countLeaked(leakedBefore, MOST_COUNTED));
          if (!settings.retention().equals(Settings.FOREVER)) {
            Instant oldest = now.minus(settings.retention());
            observer.removed(inSteps(most -> upkeep.removePast(oldest, most)));
          }
          inSteps(upkeep::tidy);
        });
  }

  private int inSteps(ToIntFunction<Integer> step) {
    int sum = 0;
    for (int i = 0; i < settings.mostSteps(); i++) {
      int done = step.applyAsInt(STEP);
      sum += done;
      if (done < STEP) {
        break;
      }
    }
    return sum;
  }
}
