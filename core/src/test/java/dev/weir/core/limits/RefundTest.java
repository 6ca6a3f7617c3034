package dev.weir.core.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.internal.Micros;
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
