package dev.weir.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.LimitCourse.Move;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * A generated course of requests on one usage.
 *
 * @param startMicros the time at which it begins
 */
record LimitCourse<L extends Limit>(L limit, long startMicros, List<Move<L>> moves) {

  /**
   * A step of the clock, then a request.
   *
   * @param thousandths of the maximum cost
   * @param changed the limit from now on, if it {@code isChange}
   * @param isRefund true to give the cost back instead
   */
  record Move<L extends Limit>(
      long clockMicros, int thousandths, long more, L changed, boolean isChange, boolean isRefund) {
    long costOf(Limit limit) {
      return Math.clamp(limit.maxCost() * thousandths / 1_000 + more, 1, limit.maxCost());
    }
  }

  private static final Arbitrary<Long> WINDOWS =
      Arbitraries.frequencyOf(
          Tuple.of(2, Arbitraries.longs().between(Limit.MIN_DURATION_MICROS, 1_010)),
          Tuple.of(
              3,
              Arbitraries.of(
                  1_000L,
                  1L << 20,
                  (1L << 20) + 1,
                  60 * Micros.PER_SECOND,
                  7_919_000_001L,
                  Limit.MAX_DURATION_MICROS)),
          Tuple.of(
              1,
              Arbitraries.longs().between(Limit.MIN_DURATION_MICROS, Limit.MAX_DURATION_MICROS)));

  /** Includes both ends of the range of times, with room for the returned waits. */
  private static final Arbitrary<Long> STARTS =
      Arbitraries.of(
          1_780_000_000_000_000L,
          1_780_000_000_000_000L,
          0L,
          -1L,
          Micros.EARLIEST,
          Micros.LATEST - 10 * Limit.MAX_DURATION_MICROS);

  static Arbitrary<FixedWindow> fixedWindows() {
    return Combinators.combine(
            upTo(FixedWindow.MAX_LIMIT), WINDOWS, Arbitraries.of(FixedWindow.Start.class))
        .as(FixedWindow::new);
  }

  static Arbitrary<SlidingWindow> slidingWindows() {
    return Combinators.combine(upTo(SlidingWindow.MAX_LIMIT), WINDOWS).as(SlidingWindow::new);
  }

  static Arbitrary<TokenBucket> buckets() {
    Arbitrary<Long> tokens =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.longs().between(1, 12)),
            Tuple.of(1, Arbitraries.longs().between(1, 1_000_000)));
    return Combinators.combine(upTo(TokenBucket.MAX_CAPACITY), tokens, WINDOWS)
        .as(
            (capacity, refill, micros) ->
                new TokenBucket(capacity, refill, Math.min(micros, Usage.MAX_VALUE / capacity)));
  }

  private static Arbitrary<Long> upTo(long max) {
    return Arbitraries.frequencyOf(
        Tuple.of(5, Arbitraries.longs().between(1, 10)),
        Tuple.of(2, Arbitraries.longs().between(10, 1_000)),
        Tuple.of(2, Arbitraries.longs().between(max - 2, max)),
        Tuple.of(1, Arbitraries.longs().between(1, max)));
  }

  /** One limit, requests only, and a clock that never steps back. */
  static <L extends Limit> Arbitrary<LimitCourse<L>> plain(Arbitrary<L> limits) {
    return limits.flatMap(
        limit -> courses(Arbitraries.just(limit), steps(limit), Arbitraries.just(false), 30));
  }

  /** One limit, requests only, and a clock that sometimes steps back. */
  static <L extends Limit> Arbitrary<LimitCourse<L>> withClockBack(Arbitrary<L> limits) {
    return limits.flatMap(
        limit ->
            courses(Arbitraries.just(limit), bothWays(steps(limit)), Arbitraries.just(false), 30));
  }

  /** One limit, requests and refunds, and a clock that never steps back. */
  static <L extends Limit> Arbitrary<LimitCourse<L>> withRefunds(Arbitrary<L> limits) {
    return limits.flatMap(
        limit ->
            courses(Arbitraries.just(limit), steps(limit), Arbitraries.of(true, false, false), 30));
  }

  /** Everything: limits that change, refunds, and a clock that steps back. */
  static <L extends Limit> Arbitrary<LimitCourse<L>> any(Arbitrary<L> limits) {
    return limits.flatMap(
        limit ->
            courses(limits, bothWays(steps(limit)), Arbitraries.of(true, false, false, false), 25));
  }

  /** Limits with windows of {@link #shortWindows} that change, and requests only. */
  static <L extends Limit> Arbitrary<LimitCourse<L>> changing(Arbitrary<L> limits) {
    return courses(limits, elapsed(), Arbitraries.of(true, false, false), 12)
        .map(course -> new LimitCourse<>(course.limit(), 1_780_000_000_000_000L, course.moves()));
  }

  static Arbitrary<Long> shortWindows() {
    return Arbitraries.of(1_000L, 1_500L, 2_000L, 4_000L, 7_001L);
  }

  /** Steps of time in a course with short windows. */
  static Arbitrary<Long> elapsed() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(0, 600), Arbitraries.longs().between(0, 3_000));
  }

  private static <L extends Limit> Arbitrary<LimitCourse<L>> courses(
      Arbitrary<L> limits, Arbitrary<Long> steps, Arbitrary<Boolean> rare, int maxSize) {
    Arbitrary<Move<L>> moves =
        Combinators.combine(
                steps,
                Arbitraries.frequencyOf(
                    Tuple.of(4, Arbitraries.just(0)),
                    Tuple.of(1, Arbitraries.just(1_000)),
                    Tuple.of(3, Arbitraries.integers().between(0, 1_000))),
                Arbitraries.longs().between(-2, 3),
                limits,
                rare,
                rare)
            .as(Move::new);
    return Combinators.combine(limits, STARTS, moves.list().ofMinSize(5).ofMaxSize(maxSize))
        .as(LimitCourse::new);
  }

  private static Arbitrary<Long> steps(Limit limit) {
    long window =
        switch (limit) {
          case FixedWindow fixed -> fixed.windowMicros();
          case SlidingWindow sliding -> sliding.windowMicros();
          case TokenBucket bucket ->
              Math.clamp(
                  bucket.capacity() * bucket.refillMicros() / bucket.refillTokens(),
                  1,
                  Limit.MAX_DURATION_MICROS);
        };
    return Arbitraries.frequencyOf(
        Tuple.of(3, Arbitraries.longs().between(0, 3)),
        Tuple.of(4, Arbitraries.longs().between(0, Math.max(1, window / 3))),
        Tuple.of(2, Arbitraries.longs().between(Math.max(0, window - 2), window + 2)),
        Tuple.of(1, Arbitraries.longs().between(0, 3 * window)));
  }

  private static Arbitrary<Long> bothWays(Arbitrary<Long> steps) {
    return Combinators.combine(steps, Arbitraries.of(1, 1, 1, -1)).as((size, sign) -> size * sign);
  }

  /** Keeps the clock within the range of times. */
  static long clamp(long micros) {
    return Math.clamp(micros, Micros.EARLIEST, Micros.LATEST);
  }
}
