package dev.weir.payments.simulator.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

final class CallTallyTest {
  private static final Instant START = Instant.parse("2026-06-01T12:00:00.250Z");

  @Test
  void knowsNothingBeforeTheFirstCall() {
    CallStatistics none = new CallTally().statistics();
    assertThat(none.calls()).isZero();
    assertThat(none.maxInSecond()).isZero();
    assertThat(none.first()).isEmpty();
    assertThat(none.maxInSecondEnd()).isEmpty();
    assertThat(none.duration()).isZero();
    assertThat(none.columns()).isEmpty();
    assertThat(none.within(1)).isTrue();
  }

  @Test
  void countsResultsAndBookings() {
    CallTally tally = new CallTally();
    tally.add(START, CallResult.ANSWER_LOST, true);
    tally.add(START.plusMillis(10), CallResult.REPEATED, false);
    tally.add(START.plusMillis(20), CallResult.REPEATED, false);
    CallStatistics calls = tally.statistics();
    assertThat(calls.calls()).isEqualTo(3);
    assertThat(calls.booked()).isEqualTo(1);
    assertThat(calls.count(CallResult.REPEATED)).isEqualTo(2);
    assertThat(calls.count(CallResult.PAID)).isZero();
    assertThat(calls.maxInSecond()).isEqualTo(3);
    assertThat(calls.maxInSecondEnd()).contains(START.plusMillis(20));
    assertThat(calls.duration()).isEqualTo(Duration.ofMillis(20));
    assertThat(calls.within(3)).isTrue();
    assertThat(calls.within(2)).isFalse();
  }

  @Test
  void showsTheCallsOfEachSecond() {
    CallTally tally = new CallTally();
    tally.add(START, CallResult.PAID, true);
    tally.add(START.plusMillis(700), CallResult.PAID, true);
    tally.add(START.plusMillis(800), CallResult.PAID, true);
    tally.add(START.plusSeconds(2), CallResult.PAID, true);
    CallStatistics calls = tally.statistics();
    assertThat(calls.secondsPerColumn()).isEqualTo(1);
    assertThat(calls.columns())
        .extracting(CallStatistics.Column::calls)
        .containsExactly(2L, 1L, 1L);
    // The first call of the second column belongs to the sliding second of the other two.
    assertThat(calls.columns())
        .extracting(column -> column.peak().orElseThrow())
        .containsExactly(2, 3, 1);
    assertThat(calls.columns().getFirst().start()).isEqualTo(Instant.parse("2026-06-01T12:00:00Z"));
  }

  @Property
  void losesNoCallAndNoPeakHoweverLongItRuns(@ForAll("gaps") List<Long> gapMillis) {
    CallTally tally = new CallTally();
    List<Instant> times = new ArrayList<>();
    Instant at = START;
    for (long gap : gapMillis) {
      at = at.plusMillis(gap);
      times.add(at);
      tally.add(at, CallResult.PAID, true);
    }
    CallStatistics calls = tally.statistics();
    assertThat(calls.columns()).hasSizeLessThanOrEqualTo(CallTimeline.MAX_COLUMNS);
    for (CallStatistics.Column column : calls.columns()) {
      Instant end = column.start().plusSeconds(calls.secondsPerColumn());
      assertThat(column.calls())
          .isEqualTo(
              times.stream()
                  .filter(time -> !time.isBefore(column.start()) && time.isBefore(end))
                  .count());
    }
    assertThat(calls.columns().stream().mapToLong(CallStatistics.Column::calls).sum())
        .isEqualTo(times.size());
    assertThat(
            calls.columns().stream()
                .mapToInt(column -> column.peak().orElseThrow())
                .max()
                .orElse(0))
        .isEqualTo(calls.maxInSecond());
  }

  @Provide
  Arbitrary<List<Long>> gaps() {
    return Arbitraries.frequencyOf(
            Tuple.of(20, Arbitraries.longs().between(0, 400)),
            Tuple.of(2, Arbitraries.longs().between(0, 600_000)),
            Tuple.of(1, Arbitraries.longs().between(0, 100_000_000_000L)))
        .list()
        .ofMaxSize(200);
  }
}
