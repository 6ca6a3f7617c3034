package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

  /** The recipe of an operator who tightens a limit because of abuse. */
  @Test
  void tightenedLimitStaysUsedUntilTheNewWindowEnds() {
    Duration fiveSeconds = Duration.ofSeconds(5);
    Duration tenMinutes = Duration.ofMinutes(10);
    Map<Limit, Limit> changes =
        Map.of(
            FixedWindow.of(5, fiveSeconds), FixedWindow.of(5, tenMinutes),
            FixedWindow.of(5, fiveSeconds).alignedToEpoch(),
                FixedWindow.of(5, tenMinutes).alignedToEpoch(),
            SlidingWindow.of(5, fiveSeconds), SlidingWindow.of(5, tenMinutes));
    changes.forEach(
        (before, after) -> {
          Usage used = before.decide(Usage.NONE, 5, NOW).next();
          Limit.Step refused = after.decide(used, 1, NOW + 4 * Micros.PER_SECOND);
          assertThat(refused.decision().isAllowed()).isFalse();
          for (long seconds : new long[] {30, 130, 599}) {
            assertThat(after.peek(refused.next(), 1, NOW + seconds * Micros.PER_SECOND).isAllowed())
                .as("%s after %d s", after, seconds)
                .isFalse();
          }
          assertThat(after.peek(refused.next(), 1, NOW + 1_200 * Micros.PER_SECOND).remaining())
              .isEqualTo(5);
        });
  }

  @Test
  void fixedWindowThatGetsLongerCountsFromItsStart() {
    Usage used = FixedWindow.of(100, MINUTE).decide(Usage.NONE, 80, NOW).next();
    FixedWindow longer = FixedWindow.of(100, Duration.ofHours(1));
    Usage changed = longer.settle(used, NOW + 59 * Micros.PER_SECOND);
    assertThat(longer.peek(changed, 1, NOW + 3_599 * Micros.PER_SECOND).remaining()).isEqualTo(20);
    assertThat(longer.peek(changed, 1, NOW + 3_600 * Micros.PER_SECOND).remaining()).isEqualTo(100);
    assertThat(longer.settle(used, NOW + 60 * Micros.PER_SECOND).isNone())
        .as("over by the former rule before the change")
        .isTrue();
  }

  @Test
  void fixedWindowThatGetsShorterEndsAtItsFormerEndOrOneNewWindowLater() {
    Usage used = FixedWindow.of(100, MINUTE).decide(Usage.NONE, 80, NOW).next();
    FixedWindow shorter = FixedWindow.of(100, Duration.ofSeconds(20));
    Usage early = shorter.settle(used, NOW + 30 * Micros.PER_SECOND);
    assertThat(shorter.peek(early, 21, NOW + 49 * Micros.PER_SECOND))
        .isEqualTo(new Decision.Refused(20, Micros.PER_SECOND, Micros.PER_SECOND));
    assertThat(shorter.peek(early, 1, NOW + 50 * Micros.PER_SECOND).remaining()).isEqualTo(100);
    Usage late = shorter.settle(used, NOW + 55 * Micros.PER_SECOND);
    assertThat(shorter.peek(late, 1, NOW + 59 * Micros.PER_SECOND).remaining()).isEqualTo(20);
    assertThat(shorter.peek(late, 1, NOW + 60 * Micros.PER_SECOND).remaining()).isEqualTo(100);
  }

  @Test
  void windowThatBecomesAlignedKeepsItsCountUntilThePresentAlignedOneEnds() {
    FixedWindow any = FixedWindow.of(100, MINUTE);
    Usage used = any.decide(Usage.NONE, 80, NOW + 59 * Micros.PER_SECOND).next();
    long change = NOW + 61 * Micros.PER_SECOND;
    FixedWindow aligned = any.alignedToEpoch();
    assertThat(aligned.isCurrent(used, change)).isFalse();
    Usage changed = aligned.settle(used, change);
    assertThat(aligned.peek(changed, 1, NOW + 119 * Micros.PER_SECOND).remaining()).isEqualTo(20);
    assertThat(aligned.peek(changed, 1, NOW + 120 * Micros.PER_SECOND).remaining()).isEqualTo(100);

    Usage inWindow = aligned.decide(Usage.NONE, 80, NOW + 59 * Micros.PER_SECOND).next();
    assertThat(any.settle(inWindow, NOW + 60 * Micros.PER_SECOND).isNone())
        .as("over by the former rule before the change")
        .isTrue();
    Usage longer = any.settle(inWindow, NOW + 59 * Micros.PER_SECOND);
    assertThat(any.peek(longer, 1, NOW + 118 * Micros.PER_SECOND).remaining()).isEqualTo(20);
  }

  @Test
  void alignedWindowThatAnEarlierVersionCountedIsKept() {
    FixedWindow aligned = FixedWindow.of(100, MINUTE).alignedToEpoch();
    for (long scale : new long[] {1, 60_000_000}) {
      Usage used = new Usage(NOW, 80, 0, scale);
      long now = NOW + 30 * Micros.PER_SECOND;
      assertThat(aligned.settle(used, now)).isEqualTo(new Usage(NOW, 80, 1, 60_000_000));
      assertThat(aligned.settle(used, NOW + 60 * Micros.PER_SECOND).isNone()).isTrue();
    }
  }

  @Test
  void slidingWindowKeepsWhatCountsAtTheChange() {
    SlidingWindow minute = SlidingWindow.of(100, MINUTE);
    Usage first = minute.decide(Usage.NONE, 60, NOW).next();
    long later = NOW + 90 * Micros.PER_SECOND;
    Usage used = minute.decide(first, 69, later).next();
    assertThat(used).isEqualTo(new Usage(NOW + 60_000_000, 69, 60, 60_000_000));
    assertThat(minute.peek(used, 1, later).remaining()).isZero();

    SlidingWindow hour = SlidingWindow.of(200, Duration.ofHours(1));
    Usage inHour = hour.settle(used, later);
    assertThat(inHour).isEqualTo(new Usage(NOW + 60_000_000, 100, 0, 3_600_000_000L));
    assertThat(hour.peek(inHour, 1, NOW + 3_600_000_000L).remaining()).isEqualTo(100);

    SlidingWindow half = SlidingWindow.of(100, Duration.ofSeconds(30));
    assertThat(half.settle(used, later)).isEqualTo(new Usage(later, 100, 0, 30_000_000));
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

  @Test
  void newRateAppliesFromTheChangeOnAndNotToThePast() {
    TokenBucket slow = TokenBucket.perSecond(100, new BigDecimal("0.01"));
    TokenBucket fast = TokenBucket.perSecond(100, BigDecimal.TEN);
    Usage empty = slow.decide(Usage.NONE, 100, NOW).next();
    long change = NOW + 5 * Micros.PER_SECOND;
    Usage raised = fast.settle(empty, change);
    assertThat(fast.peek(raised, 1, change).remaining()).isZero();
    assertThat(fast.peek(raised, 1, change + Micros.PER_SECOND).remaining()).isEqualTo(10);

    Usage half = fast.decide(Usage.NONE, 100, NOW).next();
    Usage lowered = slow.settle(half, change);
    assertThat(slow.peek(lowered, 1, change).remaining()).isEqualTo(50);
    assertThat(slow.peek(lowered, 1, change + 100 * Micros.PER_SECOND).remaining()).isEqualTo(51);
  }

  @Test
  void refusalUnderTheChangedLimitSettlesTheUsage() {
    FixedWindow before = FixedWindow.of(5, Duration.ofSeconds(5));
    FixedWindow after = FixedWindow.of(5, Duration.ofMinutes(10));
    Usage used = before.decide(Usage.NONE, 5, NOW).next();
    assertThat(before.decide(used, 1, NOW).next()).isSameAs(used);
    assertThat(after.decide(used, 1, NOW + 1).next())
        .isEqualTo(new Usage(NOW, 5, 0, after.windowMicros()));
  }

  @Test
  void olderLimitCountsLikeTheUsage() {
    Duration minute = Duration.ofMinutes(1);
    Duration hour = Duration.ofHours(1);
    long now = 1_780_000_000_000_000L;
    Map<Limit, Limit> newerByOlder =
        Map.of(
            FixedWindow.of(5, minute), FixedWindow.of(9, hour),
            FixedWindow.of(5, minute).alignedToEpoch(), FixedWindow.of(9, hour),
            SlidingWindow.of(5, minute), SlidingWindow.of(9, hour),
            TokenBucket.of(5, minute), TokenBucket.of(9, hour));
    newerByOlder.forEach(
        (older, newer) -> {
          Usage usage = newer.decide(Usage.NONE, 3, now).next();
          Limit counting = older.countedLike(usage);
          assertThat(counting.decaysLike(newer)).as("%s", counting).isTrue();
          assertThat(counting.maxCost()).isEqualTo(5);
          assertThat(counting.isCurrent(usage, now)).isTrue();
          assertThat(counting.remaining(counting.settle(usage, now), now)).isEqualTo(2);
          assertThat(older.countedLike(Usage.NONE)).isEqualTo(older);
        });
  }

  @Test
  void bucketThatCannotBeCountedInTheUnitsOfTheUsageIsCountedInItsOwn() {
    TokenBucket older = new TokenBucket(TokenBucket.MAX_CAPACITY, 1, 1);
    TokenBucket newer = new TokenBucket(1, 1, 1_000_000_007);
    Usage usage = newer.decide(Usage.NONE, 1, 0).next();
    assertThat(older.countedLike(usage)).isEqualTo(older);
  }
}
