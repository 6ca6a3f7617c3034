package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** Windows compared with the list of all grants. */
class WindowLawsTest {
  @Provide
  Arbitrary<LimitCourse<FixedWindow>> fixed() {
    return LimitCourse.plain(LimitCourse.fixedWindows());
  }

  @Provide
  Arbitrary<LimitCourse<SlidingWindow>> sliding() {
    return LimitCourse.plain(LimitCourse.slidingWindows());
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void fixedWindowGrantsUpToItsLimitInAWindow(@ForAll("fixed") LimitCourse<FixedWindow> course) {
    FixedWindow limit = course.limit();
    Grants grants = new Grants();
    OptionalLong opened = OptionalLong.empty();
    Usage usage = Usage.NONE;
    long now = course.startMicros();
    for (LimitCourse.Move<FixedWindow> move : course.moves()) {
      now = LimitCourse.clamp(now + move.clockMicros());
      long cost = move.costOf(limit);
      if (opened.isEmpty() || now - opened.getAsLong() >= limit.windowMicros()) {
        opened =
            OptionalLong.of(
                switch (limit.start()) {
                  case FIRST_USE -> now;
                  case EPOCH -> now - Math.floorMod(now, limit.windowMicros());
                });
      }
      long end = opened.getAsLong() + limit.windowMicros();
      long left = limit.limit() - grants.sum(opened.getAsLong(), end);
      Limit.Step step = limit.decide(usage, cost, now);
      usage = step.next();
      if (cost <= left) {
        assertThat(step.decision()).isEqualTo(new Decision.Allowed(left - cost, end - now));
        grants.add(now, cost);
      } else {
        assertThat(step.decision()).isEqualTo(new Decision.Refused(left, end - now, end - now));
      }
    }
  }

  @Property(tries = 800, edgeCases = EdgeCasesMode.NONE)
  void slidingWindowGrantsWhatTheWeightedSumLeavesAndHardlyLess(
      @ForAll("sliding") LimitCourse<SlidingWindow> course) {
    SlidingWindow limit = course.limit();
    long window = limit.windowMicros();
    Grants grants = new Grants();
    Usage usage = Usage.NONE;
    long now = course.startMicros();
    for (LimitCourse.Move<SlidingWindow> move : course.moves()) {
      now = LimitCourse.clamp(now + move.clockMicros());
      long start = now - Math.floorMod(now, window);
      long here = grants.sum(start, start + window);
      long before = grants.sum(start - window, start);
      Fraction part = Fraction.of(start + window - now, window);
      Fraction left = Fraction.of(limit.limit() - here).minus(Fraction.of(before).times(part));
      long remaining = limit.remaining(limit.settle(usage, now), now);
      assertThat(remaining).isLessThanOrEqualTo(Math.max(0, left.floor()));
      assertThat(remaining)
          .isGreaterThanOrEqualTo(Math.max(0, left.minus(rough(before, window)).floor()));

      long cost = move.costOf(limit);
      Limit.Step step = limit.decide(usage, cost, now);
      usage = step.next();
      assertThat(step.decision().isAllowed()).isEqualTo(cost <= remaining);
      if (step.decision().isAllowed()) {
        grants.add(now, cost);
      }
    }
    keepsTheBound(limit, grants);
  }

  /**
   * Takes everything at the last moment of a window, and then each unit as soon as it is granted:
   * the documented maximum for an interval of a window's length.
   */
  @Property(tries = 200)
  void slidingWindowGrantsUpToTwiceItsLimitLessOneInTheWorstWindow(
      @ForAll @LongRange(min = 1, max = 500) long max,
      @ForAll @LongRange(min = 100_000, max = 10_000_000) long window) {
    SlidingWindow limit = new SlidingWindow(max, window);
    long last = 1_000 * window - 1;
    Limit.Step burst = limit.decide(Usage.NONE, max, last);
    assertThat(burst.decision().isAllowed()).isTrue();
    Usage usage = burst.next();
    long granted = max;
    long now = last;
    while (now < last + window) {
      Limit.Step step = limit.decide(usage, 1, now);
      usage = step.next();
      switch (step.decision()) {
        case Decision.Allowed allowed -> granted++;
        case Decision.Refused refused -> now += refused.retryAfterMicros();
      }
    }
    assertThat(granted).isEqualTo(2 * max - 1);
  }

  /** Rounding up, and two ticks, of which a long window has half a million and a short one none. */
  private static Fraction rough(long before, long window) {
    Fraction ticks = window <= 1L << 20 ? Fraction.of(0) : Fraction.of(2, 1L << 19);
    return Fraction.of(before).times(ticks).plus(Fraction.of(1));
  }

  /** The maximum in an interval no longer than a window: limit × (1 + interval / window). */
  private static void keepsTheBound(SlidingWindow limit, Grants grants) {
    for (Grants.Grant first : grants.all) {
      for (Grants.Grant last : grants.all) {
        long stretch = last.atMicros() - first.atMicros() + 1;
        if (stretch > 0 && stretch <= limit.windowMicros()) {
          Fraction max =
              Fraction.of(limit.limit())
                  .times(Fraction.of(limit.windowMicros() + stretch, limit.windowMicros()));
          assertThat(grants.sum(first.atMicros(), last.atMicros() + 1))
              .isLessThanOrEqualTo(max.floor());
        }
      }
    }
  }
}
