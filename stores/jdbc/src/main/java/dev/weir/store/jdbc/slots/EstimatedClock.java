package dev.weir.store.jdbc.slots;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the database's clock shows, reckoned from when it last told. Thread-safe.
 *
 * <p>The time that the question took counts as if it lay behind the answer, so what is reckoned is
 * never before the database's own time, as long as that clock is not set. The database compares
 * before it believes.
 */
final class EstimatedClock {
  private volatile @Nullable Told last;
  private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);

  /** How exact the time has to be. */
  enum Need {
    /** It decides where events go. */
    TO_PLAN(1_000_000_000L, 50_000L),
    /** It is only noted with what was decided. */
    TO_NOTE(60_000_000_000L, 10_000_000L);

    /** How long ago the database may have told. */
    private final long oldestNanos;

    /** How far the database's time may be from the reckoned one when it writes. */
    private final long leewayMicros;

    Need(long oldestNanos, long leewayMicros) {
      this.oldestNanos = oldestNanos;
      this.leewayMicros = leewayMicros;
    }

    long leewayMicros() {
      return leewayMicros;
    }
  }

  private record Told(long databaseMicros, long askedNanos) {}

  /** The database was asked at a moment of {@link System#nanoTime()}, and said this. */
  void told(long askedNanos, long databaseMicros) {
    last = new Told(databaseMicros, askedNanos);
  }

  /** The database's time at a moment of {@link System#nanoTime()}; empty if long unheard of. */
  OptionalLong databaseMicros(long nanos, Need need) {
    Told told = last;
    if (told == null || nanos - told.askedNanos > need.oldestNanos) {
      return OptionalLong.empty();
    }
    // Rounded up, not to fall short of it.
    return OptionalLong.of(steady(told.databaseMicros + (nanos - told.askedNanos) / 1_000 + 1));
  }

  /**
   * A time to plan by that is not before the last one, where that is only a matter of how exactly
   * it was reckoned: the later of two events that ask for now must not get the earlier window.
   */
  long steady(long databaseMicros) {
    return latest.updateAndGet(
        before ->
            before > databaseMicros && before - databaseMicros <= Need.TO_PLAN.leewayMicros
                ? before
                : databaseMicros);
  }
}
