package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Laws of limits that change: the past counts by the former rule, the future by the new one. */
class LimitChangeLawsTest {
  private static final long START = 1_780_000_000_000_000L;

  /** A limit that is used for some time and then changes. */
  record Changed<L extends Limit>(LimitCourse<L> course, L after) {
    Usage usage() {
      Usage usage = Usage.NONE;
      long now = course.startMicros();
      for (LimitCourse.Move<L> move : course.moves()) {
        now = LimitCourse.clamp(now + move.clockMicros());
        usage = before().decide(usage, move.costOf(before()), now).next();
      }
      return usage;
    }

    long nowMicros() {
      long now = course.startMicros();
      for (LimitCourse.Move<L> move : course.moves()) {
        now = LimitCourse.clamp(now + move.clockMicros());
      }
      return now;
    }

    L before() {
      return course.limit();
    }

    static <L extends Limit> Arbitrary<Changed<L>> of(Arbitrary<L> limits) {
      return Combinators.combine(LimitCourse.plain(limits), limits).as(Changed::new);
    }
  }

  @Provide
  Arbitrary<Changed<? extends Limit>> changes() {
    return Arbitraries.oneOf(
        Changed.of(LimitCourse.fixedWindows()),
        Changed.of(LimitCourse.slidingWindows()),
        Changed.of(LimitCourse.buckets()));
  }

  @Provide
  Arbitrary<Changed<FixedWindow>> windows() {
    return Changed.of(
        LimitCourse.fixedWindows()
            .map(
                any ->
                    new FixedWindow(any.limit(), any.windowMicros(), FixedWindow.Start.FIRST_USE)));
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  void whatCountsAtTheChangeCountsAfterIt(@ForAll("changes") Changed<? extends Limit> changed) {
    long now = changed.nowMicros();
    Limit before = changed.before();
    Limit after = changed.after();
    long free = before.remaining(before.settle(changed.usage(), now), now);
    long used = before.maxCost() - free;
    Usage settled = after.settle(changed.usage(), now);
    long expected = Math.max(0, after.maxCost() - used);
    if (free > 0) {
      // A debt in units of another rate is capped where 53 bits end.
      assertThat(after.remaining(settled, now)).isEqualTo(expected);
    } else {
      assertThat(after.remaining(settled, now))
          .as("nothing is given back")
          .isLessThanOrEqualTo(expected);
    }
    assertThat(after.isCurrent(settled, now)).isTrue();
    assertThat(after.settle(settled, now)).isEqualTo(settled);
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  void longerWindowsNeverEndEarlierAndShorterOnesNeverLater(
      @ForAll("windows") Changed<FixedWindow> changed) {
    long now = changed.nowMicros();
    Usage before = changed.before().settle(changed.usage(), now);
    Usage after = changed.after().settle(changed.usage(), now);
    long endBefore = now + changed.before().idleMicros(before, now);
    long endAfter = now + changed.after().idleMicros(after, now);
    assertThat(after.used()).isEqualTo(before.used());
    if (changed.after().windowMicros() >= changed.before().windowMicros()) {
      assertThat(endAfter).isGreaterThanOrEqualTo(endBefore);
    } else {
      assertThat(endAfter).isLessThanOrEqualTo(endBefore);
    }
  }

  /**
   * A use of a limit that changes.
   *
   * @param refunded the number of the grant that is given back after it
   */
  record Refunded<L extends Limit>(LimitCourse<L> course, int refunded, long elapsedMicros) {
    static <L extends Limit> Arbitrary<Refunded<L>> of(Arbitrary<L> limits) {
      return Combinators.combine(
              LimitCourse.changing(limits),
              Arbitraries.integers().between(0, 7),
              LimitCourse.elapsed())
          .as(Refunded::new);
    }
  }

  /** Limits whose windows begin at the same time whether or not a grant was made. */
  @Provide
  Arbitrary<Refunded<? extends Limit>> refunds() {
    return Arbitraries.oneOf(
        Refunded.of(LimitCourse.shortWindows().map(micros -> aligned(micros))),
        Refunded.of(LimitCourse.shortWindows().map(micros -> new SlidingWindow(20, micros))));
  }

  private static FixedWindow aligned(long micros) {
    return new FixedWindow(20, micros, FixedWindow.Start.EPOCH);
  }

  /** The oracle is the same use without the grant that is given back. */
  @Property(tries = 3_000, edgeCases = EdgeCasesMode.NONE)
  void refundAfterChangesLeavesNoMoreThanIfNothingHadBeenTaken(
      @ForAll("refunds") Refunded<? extends Limit> refunded) {
    check(refunded);
  }

  private static <L extends Limit> void check(Refunded<L> refunded) {
    L limit = refunded.course().limit();
    Usage with = Usage.NONE;
    Usage without = Usage.NONE;
    long now = refunded.course().startMicros();
    long takenAt = Long.MIN_VALUE;
    long back = 0;
    int grants = 0;
    for (LimitCourse.Move<L> move : refunded.course().moves()) {
      now = LimitCourse.clamp(now + move.clockMicros());
      limit = move.isChange() ? move.changed() : limit;
      with = limit.settle(with, now);
      without = limit.settle(without, now);
      long cost = Math.min(move.costOf(limit), limit.remaining(with, now));
      if (cost > 0) {
        with = limit.take(with, cost, now);
        if (grants++ == refunded.refunded()) {
          takenAt = now;
          back = cost;
        } else {
          without = limit.take(without, cost, now);
        }
      }
    }
    if (back == 0) {
      return;
    }
    now = LimitCourse.clamp(now + refunded.elapsedMicros());
    Usage after = limit.refund(with, back, takenAt, now);
    for (long later : new long[] {0, 1, 500, 1_000, 1_500, 3_000, 10_000}) {
      Usage settled = limit.settle(after, now + later);
      assertThat(limit.remaining(settled, now + later))
          .as("%d of %d were given back, %d later", back, takenAt, later)
          .isLessThanOrEqualTo(limit.remaining(limit.settle(without, now + later), now + later))
          .isGreaterThanOrEqualTo(limit.remaining(limit.settle(with, now + later), now + later));
    }
  }

  /** A bucket of a capacity that any rate can count, its rates in turn, and what is taken. */
  record Piece(long tokens, long micros, long elapsedMicros, int thousandths) {}

  @Provide
  Arbitrary<List<Piece>> pieces() {
    return Combinators.combine(
            Arbitraries.longs().between(1, 1_000),
            Arbitraries.longs().between(1, 100_000_000),
            Arbitraries.longs().between(0, 10 * Micros.PER_SECOND),
            Arbitraries.integers().between(0, 1_000))
        .as(Piece::new)
        .list()
        .ofMinSize(2)
        .ofMaxSize(20);
  }

  /** The oracle adds up the refill of each rate while it is in force, exactly. */
  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  void bucketWithChangingRatesHasWhatEachRateRefilled(@ForAll("pieces") List<Piece> pieces) {
    long capacity = 1_000;
    Fraction full = Fraction.of(capacity);
    Fraction exact = full;
    Usage usage = Usage.NONE;
    long now = START;
    int changes = 0;
    for (Piece piece : pieces) {
      TokenBucket bucket = new TokenBucket(capacity, piece.tokens(), piece.micros());
      // The change settles, then time passes by the new rate.
      usage = bucket.settle(usage, now);
      changes++;
      now += piece.elapsedMicros();
      exact =
          exact
              .plus(
                  Fraction.of(bucket.refillTokens(), bucket.refillMicros())
                      .times(Fraction.of(piece.elapsedMicros())))
              .min(full);
      long remaining = bucket.remaining(bucket.settle(usage, now), now);
      assertThat(remaining).isBetween(exact.floor() - changes, exact.floor());
      long cost = remaining * piece.thousandths() / 1_000;
      if (cost > 0) {
        usage = bucket.decide(usage, cost, now).next();
        exact = exact.minus(Fraction.of(cost));
      }
    }
  }
}
