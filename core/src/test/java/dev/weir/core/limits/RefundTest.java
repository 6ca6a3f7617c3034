package dev.weir.core.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is given back, by when it was taken. */
final class RefundTest {
  private static final long MINUTE = 60_000_000;

  /** The start of a window. */
  private static final long NOW = 29_000_000 * MINUTE;

  @Test
  void whatWasTakenInAnEarlierWindowIsBackAlready() {
    FixedWindow limit = FixedWindow.of(10, Duration.ofMinutes(1));
    Usage used = limit.decide(Usage.NONE, 4, NOW).next();
    assertThat(limit.refund(used, 3, NOW, NOW + MINUTE - 1)).isEqualTo(new Usage(NOW, 1, 0, 1));
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
}
