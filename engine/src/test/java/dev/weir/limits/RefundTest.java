package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Refunds, depending on when the units were taken. */
final class RefundTest {
  private static final long MINUTE = 60_000_000;

  /** The start of a window. */
  private static final long NOW = 29_000_000 * MINUTE;

  @Test
  void whatWasTakenInAnEarlierWindowIsBackAlready() {
    FixedWindow limit = FixedWindow.of(10, Duration.ofMinutes(1));
    Usage used = limit.decide(Usage.NONE, 4, NOW).next();
    assertThat(limit.refund(used, 3, NOW, NOW + MINUTE - 1))
        .isEqualTo(new Usage(NOW, 1, 0, MINUTE));
    Usage next = limit.decide(used, 5, NOW + MINUTE).next();
    assertThat(limit.refund(next, 4, NOW, NOW + MINUTE)).isEqualTo(next);
    assertThat(limit.refund(next, 4, NOW + MINUTE - 1, NOW + MINUTE)).isEqualTo(next);
    assertThat(limit.refund(next, 4, NOW + MINUTE, NOW + MINUTE).used()).isEqualTo(1);
  }

  @Test
  void slidingWindowGivesBackInTheWindowInWhichItWasTaken() {
    SlidingWindow limit = SlidingWindow.of(10, Duration.ofMinutes(1));
    Usage first = limit.decide(Usage.NONE, 5, NOW).next();
    Usage used = limit.decide(first, 4, NOW + MINUTE).next();
    assertThat(used).isEqualTo(new Usage(NOW + MINUTE, 4, 5, MINUTE));
    long now = NOW + MINUTE + 7;
    assertThat(limit.refund(used, 3, NOW + MINUTE, now))
        .isEqualTo(new Usage(NOW + MINUTE, 1, 5, MINUTE));
    assertThat(limit.refund(used, 3, NOW + MINUTE - 1, now))
        .isEqualTo(new Usage(NOW + MINUTE, 4, 2, MINUTE));
    assertThat(limit.refund(used, 3, NOW, now)).isEqualTo(new Usage(NOW + MINUTE, 4, 2, MINUTE));
    assertThat(limit.refund(used, 3, NOW - 1, now)).isEqualTo(used);
  }

  @Test
  void longerWindowGivesBackNothingOfAWindowThatWasOver() {
    FixedWindow shortly = FixedWindow.of(5, Duration.ofSeconds(4)).alignedToEpoch();
    FixedWindow longer = FixedWindow.of(5, Duration.ofMinutes(2)).alignedToEpoch();
    Usage first = shortly.decide(Usage.NONE, 5, NOW).next();
    long second = NOW + 4_000_000;
    Usage used = shortly.decide(first, 5, second).next();
    long now = second + 1_000_000;
    Usage changed = longer.settle(used, now);
    assertThat(longer.refund(changed, 5, NOW, now)).isEqualTo(changed);
    assertThat(longer.refund(changed, 5, second - 1, now)).isEqualTo(changed);
    assertThat(longer.refund(changed, 4, second, now).used()).isEqualTo(1);
    assertThat(longer.refund(changed, 4, now, now).used()).isEqualTo(1);
  }

  @Test
  void changedSlidingWindowGivesBackOnlyWhatCountedInFull() {
    SlidingWindow shortly = SlidingWindow.of(10, Duration.ofSeconds(6));
    SlidingWindow longer = SlidingWindow.of(10, Duration.ofMinutes(2));
    Usage first = shortly.decide(Usage.NONE, 10, NOW).next();
    long second = NOW + 6_000_000;
    long now = second + 4_800_000;
    Usage used = longer.decide(shortly.decide(first, 3, now).next(), 5, now).next();
    assertThat(longer.remaining(used, now)).as("2 of the first 10 count").isZero();
    assertThat(longer.refund(used, 10, NOW, now)).isEqualTo(used);
    assertThat(longer.refund(used, 10, second - 1, now)).isEqualTo(used);
    assertThat(remaining(longer, longer.refund(used, 3, second, now), now)).isEqualTo(3);
    assertThat(remaining(longer, longer.refund(used, 5, now, now), now)).isEqualTo(5);

    // It counts as the previous window later, and is not forgotten before.
    long later = NOW + 2 * MINUTE + 1_000_000;
    Usage previous = longer.decide(used, 1, NOW + 3 * MINUTE).next();
    assertThat(previous.before()).isEqualTo(10);
    assertThat(longer.refund(used, 10, NOW, later)).isEqualTo(longer.settle(used, later));
    assertThat(longer.refund(used, 10, second - 1, later).before()).isEqualTo(10);
    assertThat(longer.refund(used, 3, second, later).before()).isEqualTo(7);
    assertThat(longer.refund(previous, 1, NOW + 3 * MINUTE, NOW + 3 * MINUTE).used()).isZero();
    Usage without = longer.refund(previous, 10, now, NOW + 3 * MINUTE);
    assertThat(without).isEqualTo(new Usage(NOW + 2 * MINUTE, 1, 0, 2 * MINUTE));
  }

  private static long remaining(Limit limit, Usage usage, long nowMicros) {
    return limit.remaining(limit.settle(usage, nowMicros), nowMicros);
  }

  @Test
  void bucketIsNeverAboveItsCapacity() {
    TokenBucket limit = TokenBucket.of(10, Duration.ofMinutes(1));
    Usage used = limit.decide(Usage.NONE, 4, NOW).next();
    assertThat(limit.peek(limit.refund(used, 3, NOW, NOW), 1, NOW).remaining()).isEqualTo(9);
    assertThat(limit.refund(used, 4, NOW, NOW + 1).used()).isZero();
    assertThat(limit.refund(used, 10, NOW, NOW).used()).isZero();
  }

  @Test
  void bucketDoesNotGiveBackWhatHasRefilledSince() {
    TokenBucket limit = TokenBucket.of(10, Duration.ofSeconds(10));
    Usage first = limit.decide(Usage.NONE, 6, NOW).next();
    long second = NOW + 4_000_000;
    Usage used = limit.decide(first, 8, second).next();
    assertThat(limit.remaining(limit.settle(used, second), second)).isZero();
    assertThat(remainingAfterRefund(limit, used, NOW, second))
        .as("2 of the 6 were still missing when the 8 were taken")
        .isEqualTo(2);
    assertThat(remainingAfterRefund(limit, used, NOW - 2_000_000, second)).isZero();
    assertThat(remainingAfterRefund(limit, used, Micros.EARLIEST, second)).isZero();
    assertThat(remainingAfterRefund(limit, used, second + 1, second))
        .as("taken by a clock that is ahead")
        .isEqualTo(6);
  }

  private static long remainingAfterRefund(
      TokenBucket limit, Usage used, long takenAt, long nowMicros) {
    return limit.remaining(limit.refund(used, 6, takenAt, nowMicros), nowMicros);
  }
}
