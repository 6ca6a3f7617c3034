package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.internal.AllOrNothing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Laws that hold for every limit in every reachable state. */
class LimitLawsTest {
  @Provide
  Arbitrary<LimitCourse<? extends Limit>> any() {
    return Arbitraries.oneOf(
        LimitCourse.any(LimitCourse.fixedWindows()),
        LimitCourse.any(LimitCourse.slidingWindows()),
        LimitCourse.any(LimitCourse.buckets()));
  }

  @Provide
  Arbitrary<LimitCourse<? extends Limit>> withClockBack() {
    return Arbitraries.oneOf(
        LimitCourse.withClockBack(LimitCourse.fixedWindows()),
        LimitCourse.withClockBack(LimitCourse.slidingWindows()),
        LimitCourse.withClockBack(LimitCourse.buckets()));
  }

  /** A limit, its usage, and a time at which {@code cost} units are requested. */
  record State(Limit limit, Usage usage, long nowMicros, long cost) {
    Decision peek(long afterMicros) {
      return limit.peek(usage, cost, nowMicros + afterMicros);
    }

    long remaining(long afterMicros) {
      return limit.remaining(limit.settle(usage, nowMicros + afterMicros), nowMicros + afterMicros);
    }
  }

  /**
   * Plays a course and checks every state in it, including the last. A usage of a limit that was
   * changed, or of a clock that was far ahead, is checked as a first request leaves it.
   */
  private static void play(LimitCourse<?> course, Consumer<State> check) {
    Limit limit = course.limit();
    Usage usage = Usage.NONE;
    long now = course.startMicros();
    long takenAt = now;
    for (LimitCourse.Move<?> move : course.moves()) {
      now = LimitCourse.clamp(now + move.clockMicros());
      limit = move.isChange() ? move.changed() : limit;
      long cost = move.costOf(limit);
      usage = limit.isCurrent(usage, now) ? usage : limit.settle(usage, now);
      check.accept(new State(limit, usage, now, cost));
      if (move.isRefund()) {
        usage = limit.refund(usage, cost, takenAt, now);
      } else {
        Limit.Step step = limit.decide(usage, cost, now);
        takenAt = step.decision().isAllowed() ? now : takenAt;
        usage = step.next();
      }
    }
    check.accept(new State(limit, usage, now, 1));
  }

  @Property(tries = 600, edgeCases = EdgeCasesMode.NONE)
  void retryIsSufficientAndMinimal(@ForAll("any") LimitCourse<? extends Limit> course) {
    play(
        course,
        state -> {
          if (state.peek(0) instanceof Decision.Refused refused) {
            long wait = refused.retryAfterMicros();
            assertThat(wait).isPositive();
            assertThat(state.peek(wait).isAllowed()).as("%s after %d", state, wait).isTrue();
            for (long early : new long[] {wait - 1, wait / 2, wait * 3 / 4}) {
              assertThat(state.peek(early).isAllowed()).as("%s after %d", state, early).isFalse();
            }
          }
        });
  }

  @Property(tries = 600, edgeCases = EdgeCasesMode.NONE)
  void moreRemainsAtTheResetAndNotBefore(@ForAll("any") LimitCourse<? extends Limit> course) {
    play(
        course,
        state -> {
          Decision decision = state.peek(0);
          assertThat(decision.remaining()).isEqualTo(state.remaining(0));
          long reset = decision.resetMicros();
          if (decision.remaining() == state.limit().maxCost()) {
            assertThat(reset).isZero();
          } else {
            assertThat(reset).isPositive();
            assertThat(state.remaining(reset)).isGreaterThan(decision.remaining());
            assertThat(state.remaining(reset - 1)).isLessThanOrEqualTo(decision.remaining());
          }
        });
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void looksLikeItDecides(@ForAll("any") LimitCourse<? extends Limit> course) {
    play(
        course,
        state -> {
          Decision peeked = state.peek(0);
          Limit.Step step = state.limit().decide(state.usage(), state.cost(), state.nowMicros());
          assertThat(step.decision().isAllowed()).isEqualTo(peeked.isAllowed());
          assertThat(peeked.isAllowed()).isEqualTo(state.cost() <= peeked.remaining());
          Usage settled = state.limit().settle(state.usage(), state.nowMicros());
          assertThat(state.limit().hasLeft(settled, state.cost(), state.nowMicros()))
              .isEqualTo(peeked.isAllowed());
          if (peeked.isAllowed()) {
            State after = new State(state.limit(), step.next(), state.nowMicros(), 1);
            assertThat(step.decision().remaining())
                .isEqualTo(peeked.remaining() - state.cost())
                .isEqualTo(after.remaining(0));
            assertThat(step.decision().resetMicros()).isEqualTo(after.peek(0).resetMicros());
          } else {
            assertThat(step.decision()).isEqualTo(peeked);
            assertThat(step.next()).isSameAs(state.usage());
          }
        });
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void settlingTwiceIsSettlingOnce(@ForAll("any") LimitCourse<? extends Limit> course) {
    play(
        course,
        state -> {
          Usage once = state.limit().settle(state.usage(), state.nowMicros());
          assertThat(state.limit().settle(once, state.nowMicros())).isEqualTo(once);
        });
  }

  @Property(tries = 600, edgeCases = EdgeCasesMode.NONE)
  void idleKeyIsAFreshOneAndNotBefore(@ForAll("any") LimitCourse<? extends Limit> course) {
    play(
        course,
        state -> {
          Limit limit = state.limit();
          Usage settled = limit.settle(state.usage(), state.nowMicros());
          long idle = limit.idleMicros(settled, state.nowMicros());
          assertThat(idle).isNotNegative();
          assertThat(limit.settle(settled, state.nowMicros() + idle).isNone()).isTrue();
          if (idle > 0) {
            assertThat(limit.settle(settled, state.nowMicros() + idle - 1).isNone()).isFalse();
          }
          for (long more : new long[] {0, 1, 1_000, Limit.MAX_DURATION_MICROS}) {
            // A clock that stepped back is behind the kept state, but not behind a dropped one.
            long then = Math.max(state.nowMicros(), settled.atMicros()) + idle + more;
            assertThat(limit.decide(state.usage(), state.cost(), then))
                .isEqualTo(limit.decide(Usage.NONE, state.cost(), then));
          }
        });
  }

  @Property(tries = 600, edgeCases = EdgeCasesMode.NONE)
  void everyNumberFitsInto53Bits(@ForAll("any") LimitCourse<? extends Limit> course) {
    play(
        course,
        state -> {
          for (Usage usage :
              List.of(state.usage(), state.limit().settle(state.usage(), state.nowMicros()))) {
            assertThat(usage.used()).isBetween(0L, Usage.MAX_VALUE);
            assertThat(usage.before()).isBetween(0L, Usage.MAX_VALUE);
            assertThat(usage.scale()).isBetween(0L, Usage.MAX_VALUE);
            switch (state.limit()) {
              case FixedWindow fixed ->
                  assertThat(usage.used()).isLessThanOrEqualTo(FixedWindow.MAX_LIMIT);
              case SlidingWindow sliding -> {
                // The factors that are multiplied by the ticks of a window.
                assertThat(usage.used()).isLessThanOrEqualTo(SlidingWindow.MAX_LIMIT);
                assertThat(usage.before()).isLessThanOrEqualTo(SlidingWindow.MAX_LIMIT);
              }
              case TokenBucket bucket ->
                  assertThat(Math.multiplyExact(bucket.capacity(), bucket.refillMicros()))
                      .isLessThanOrEqualTo(Usage.MAX_VALUE);
            }
          }
          Decision decision = state.peek(0);
          assertThat(decision.remaining()).isBetween(0L, state.limit().maxCost());
        });
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void refundOfWhatWasJustTakenChangesNothing(
      @ForAll("withClockBack") LimitCourse<? extends Limit> course) {
    play(
        course,
        state -> {
          Limit limit = state.limit();
          long now = state.nowMicros();
          Limit.Step step = limit.decide(state.usage(), state.cost(), now);
          Usage settled = limit.settle(state.usage(), now);
          // A clock that stepped back did not take from a window that is ahead of it.
          if (step.decision().isAllowed() && settled.atMicros() <= now) {
            Usage back = limit.refund(step.next(), state.cost(), now, now);
            assertThat(new State(limit, back, now, 1).peek(0))
                .isEqualTo(new State(limit, settled, now, 1).peek(0));
          }
        });
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void refundNeverTakesAndNeverGivesMoreThanItsCost(
      @ForAll("any") LimitCourse<? extends Limit> course) {
    play(
        course,
        state -> {
          long now = state.nowMicros();
          for (long ago : new long[] {0, 1, 1_000, 60_000_000}) {
            Usage back = state.limit().refund(state.usage(), state.cost(), now - ago, now);
            long after = new State(state.limit(), back, now, 1).remaining(0);
            assertThat(after)
                .isBetween(
                    state.remaining(0),
                    Math.min(state.limit().maxCost(), state.remaining(0) + state.cost()));
          }
        });
  }

  /**
   * With a cost of 1, because refusing a large request may leave units for a small one. The latest
   * time of the clock is that of a grant: a refusal is not remembered. Larger steps are those of
   * {@link #clockThatWasFarAheadDelaysNoCallerForLong}.
   */
  @Property(tries = 800, edgeCases = EdgeCasesMode.NONE)
  void clockThatStepsBackNeverAdmitsMoreThanOneThatStandsStill(
      @ForAll("withClockBack") LimitCourse<? extends Limit> course) {
    Limit limit = course.limit();
    Usage back = Usage.NONE;
    Usage still = Usage.NONE;
    long now = course.startMicros();
    long latest = Micros.EARLIEST;
    long admittedBack = 0;
    long admittedStill = 0;
    for (LimitCourse.Move<?> move : course.moves()) {
      now = LimitCourse.clamp(now + move.clockMicros());
      if (!limit.isCurrent(back, now)) {
        return;
      }
      for (int i = 0; i < 3; i++) {
        Limit.Step stepBack = limit.decide(back, 1, now);
        Limit.Step stepStill = limit.decide(still, 1, Math.max(latest, now));
        back = stepBack.next();
        still = stepStill.next();
        if (stepBack.decision().isAllowed()) {
          admittedBack++;
          latest = Math.max(latest, now);
        }
        admittedStill += stepStill.decision().isAllowed() ? 1 : 0;
        assertThat(admittedBack).isLessThanOrEqualTo(admittedStill);
      }
    }
  }

  @Property(tries = 800, edgeCases = EdgeCasesMode.NONE)
  void clockThatSteppedBackCostsNothingOnceItHasCaughtUp(
      @ForAll("withClockBack") LimitCourse<? extends Limit> course) {
    Limit limit = course.limit();
    Usage usage = Usage.NONE;
    Usage still = Usage.NONE;
    long now = course.startMicros();
    long latest = Micros.EARLIEST;
    for (LimitCourse.Move<?> move : course.moves()) {
      now = LimitCourse.clamp(now + move.clockMicros());
      long cost = move.costOf(limit);
      if (!limit.isCurrent(usage, now)) {
        return;
      }
      Limit.Step step = limit.decide(usage, cost, now);
      usage = step.next();
      if (step.decision().isAllowed()) {
        latest = Math.max(latest, now);
        Limit.Step there = limit.decide(still, cost, latest);
        assertThat(there.decision().isAllowed()).isTrue();
        still = there.next();
      }
      for (long more : new long[] {0, 1, 1_000, Limit.MAX_DURATION_MICROS}) {
        long then = Math.max(latest, now) + more;
        assertThat(limit.peek(usage, 1, then)).isEqualTo(limit.peek(still, 1, then));
      }
    }
  }

  /** The wait that the limit could cause by itself, and once more for a step that is not far. */
  @Property(tries = 800, edgeCases = EdgeCasesMode.NONE)
  void clockThatWasFarAheadDelaysNoCallerForLong(
      @ForAll("withClockBack") LimitCourse<? extends Limit> course) {
    play(
        course,
        state -> {
          long periodMicros =
              switch (state.limit()) {
                case FixedWindow fixed -> fixed.windowMicros();
                case SlidingWindow sliding -> 2 * sliding.windowMicros();
                case TokenBucket bucket ->
                    Math.ceilDiv(bucket.capacity() * bucket.refillMicros(), bucket.refillTokens());
              };
          Usage ahead = state.limit().settle(state.usage(), state.nowMicros());
          for (long back : new long[] {1, 1_000, 7_200_000_000L, 3 * Limit.MAX_DURATION_MICROS}) {
            long now = LimitCourse.clamp(state.nowMicros() - back);
            Limit.Step step = state.limit().decide(ahead, state.cost(), now);
            if (step.decision() instanceof Decision.Refused refused) {
              assertThat(refused.retryAfterMicros())
                  .isLessThanOrEqualTo(
                      periodMicros + Math.max(periodMicros, Limit.MAX_AHEAD_MICROS));
              State then =
                  new State(
                      state.limit(), step.next(), now + refused.retryAfterMicros(), state.cost());
              assertThat(then.peek(0).isAllowed()).isTrue();
            }
            assertThat(step.decision().remaining())
                .as("nothing is given back")
                .isLessThanOrEqualTo(
                    state.limit().remaining(ahead, Math.max(now, ahead.atMicros())));
          }
        });
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void severalAreGrantedTogetherOrNotAtAll(
      @ForAll("any") LimitCourse<? extends Limit> one,
      @ForAll("any") LimitCourse<? extends Limit> other) {
    List<State> states = new ArrayList<>();
    play(one, states::add);
    play(other, states::add);
    long now = states.getLast().nowMicros();
    for (int i = 0; i + 3 <= states.size(); i++) {
      List<AllOrNothing.Part> parts =
          states.subList(i, i + 3).stream()
              .map(state -> new AllOrNothing.Part(state.limit(), state.usage(), state.cost()))
              .toList();
      AllOrNothing.Step step = AllOrNothing.decide(parts, now);
      List<Limit.Step> alone =
          parts.stream().map(part -> part.limit().decide(part.usage(), part.cost(), now)).toList();
      boolean granted = alone.stream().allMatch(each -> each.decision().isAllowed());
      assertThat(step.isGranted()).isEqualTo(granted);
      for (int p = 0; p < parts.size(); p++) {
        AllOrNothing.Part part = parts.get(p);
        Usage kept =
            part.limit().isCurrent(part.usage(), now)
                ? part.usage()
                : part.limit().settle(part.usage(), now);
        assertThat(step.next().get(p)).isEqualTo(granted ? alone.get(p).next() : kept);
        assertThat(step.decisions().get(p))
            .isEqualTo(
                granted
                    ? alone.get(p).decision()
                    : part.limit().peek(part.usage(), part.cost(), now));
      }
    }
  }
}
