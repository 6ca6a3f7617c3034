package dev.weir.core.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.internal.Micros;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** A limit that changes between two calls keeps its usage. */
final class LimitChangeTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** The start of a window of a minute and of an hour. */
  private static final long NOW = 1_780_000_000_000_000L - 1_780_000_000_000_000L % 3_600_000_000L;

  @Test
  void whatWasUsedIsKeptWhateverTheNumbers() {
    List<LongFunction<Limit>> kinds =
        List.of(
            limit -> FixedWindow.of(limit, MINUTE),
            limit -> FixedWindow.of(limit, MINUTE).alignedToEpoch(),
            limit -> SlidingWindow.of(limit, MINUTE),
            limit -> TokenBucket.of(limit, MINUTE));
    for (LongFunction<Limit> kind : kinds) {
      Usage used = kind.apply(100).decide(Usage.NONE, 80, NOW).next();
      assertThat(kind.apply(200).peek(used, 1, NOW).remaining()).isEqualTo(120);
      assertThat(kind.apply(50).peek(used, 1, NOW).remaining()).isZero();
      assertThat(kind.apply(81).peek(used, 1, NOW).remaining()).isEqualTo(1);
    }
  }

  @Test
  void fixedWindowCountsFromWhereItBegan() {
    Usage used = FixedWindow.of(100, MINUTE).decide(Usage.NONE, 80, NOW).next();
    FixedWindow shorter = FixedWindow.of(100, Duration.ofSeconds(20));
    FixedWindow longer = FixedWindow.of(100, Duration.ofHours(1));
    assertThat(shorter.peek(used, 21, NOW + 19 * Micros.PER_SECOND))
        .isEqualTo(new Decision.Refused(20, Micros.PER_SECOND, Micros.PER_SECOND));
    assertThat(shorter.peek(used, 1, NOW + 20 * Micros.PER_SECOND).remaining()).isEqualTo(100);
    assertThat(longer.peek(used, 1, NOW + 3_599 * Micros.PER_SECOND).remaining()).isEqualTo(20);
    assertThat(longer.peek(used, 1, NOW + 3_600 * Micros.PER_SECOND).remaining()).isEqualTo(100);
  }

  @Test
  void slidingWindowCountsFromWhereItsWindowsBegan() {
    SlidingWindow minute = SlidingWindow.of(100, MINUTE);
    Usage first = minute.decide(Usage.NONE, 60, NOW).next();
    long later = NOW + 90 * Micros.PER_SECOND;
    Usage used = minute.decide(first, 69, later).next();
    assertThat(used).isEqualTo(new Usage(NOW + 60_000_000, 69, 60, 60_000_000));

    SlidingWindow hour = SlidingWindow.of(200, Duration.ofHours(1));
    assertThat(hour.peek(used, 1, later).remaining()).as("both in this hour").isEqualTo(71);
    assertThat(hour.peek(used, 1, NOW + 3_600_000_000L).remaining()).isEqualTo(71);
    assertThat(hour.peek(used, 1, NOW + 5_400_000_000L).remaining()).isEqualTo(135);

    SlidingWindow half = SlidingWindow.of(100, Duration.ofSeconds(30));
    assertThat(half.peek(used, 1, later).remaining()).as("one window ago").isEqualTo(31);
    assertThat(half.peek(used, 1, later + 15_000_000).remaining()).isEqualTo(65);
    assertThat(half.peek(used, 1, later + 30_000_000).remaining()).isEqualTo(100);
  }

  @Test
  void bucketKeepsItsDebtInWholeTokensRoundedUp() {
    TokenBucket bucket = TokenBucket.of(100, MINUTE);
    Usage used = bucket.decide(Usage.NONE, 80, NOW).next();
    TokenBucket slower = new TokenBucket(100, 1, 7_000_001);
    assertThat(slower.peek(used, 1, NOW).remaining()).isEqualTo(20);
    Usage partly = bucket.decide(used, 1, NOW + 1).next();
    assertThat(bucket.peek(partly, 1, NOW + 1).remaining()).isEqualTo(19);
    assertThat(slower.peek(partly, 1, NOW + 1).remaining()).isEqualTo(19);
  }
}
