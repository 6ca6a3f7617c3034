package dev.weir.payments.simulator.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

final class SlidingSecondTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void twoCallsExactlyASecondApartNeverShareOne() {
    SlidingSecond seconds = new SlidingSecond();
    assertThat(seconds.add(0)).isEqualTo(1);
    assertThat(seconds.add(SECOND)).isEqualTo(1);
    assertThat(seconds.add(2 * SECOND - 1)).isEqualTo(2);
    assertThat(seconds.max()).isEqualTo(2);
    assertThat(seconds.maxEndNanos()).isEqualTo(2 * SECOND - 1);
  }

  @Test
  void seesABurstAcrossTheBoundaryOfTwoClockSeconds() {
    SlidingSecond seconds = new SlidingSecond();
    for (int i = 0; i < 50; i++) {
      seconds.add(SECOND - 1 - 50 + i);
    }
    for (int i = 0; i < 50; i++) {
      seconds.add(SECOND + i);
    }
    assertThat(seconds.max()).isEqualTo(100);
  }

  @Test
  void refusesACallThatIsBeforeAnEarlierOne() {
    SlidingSecond seconds = new SlidingSecond();
    seconds.add(5);
    assertThatThrownBy(() -> seconds.add(4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must not be before 5, but is 4");
  }

  @Property
  void countsLikeLookingAtEverySecond(@ForAll("gaps") List<Long> gaps, @ForAll int start) {
    SlidingSecond seconds = new SlidingSecond();
    List<Long> calls = new ArrayList<>();
    long at = start;
    int max = 0;
    for (long gap : gaps) {
      at += gap;
      assertThat(seconds.countAt(at)).isEqualTo(naive(calls, at));
      calls.add(at);
      assertThat(seconds.add(at)).isEqualTo(naive(calls, at));
      max = Math.max(max, naive(calls, at));
    }
    assertThat(seconds.max()).isEqualTo(max);
    assertThat(max).isEqualTo(naiveMax(calls));
  }

  /** Often nothing, often about a second, so that calls fall on both sides of the boundary. */
  @Provide
  Arbitrary<List<Long>> gaps() {
    return Arbitraries.oneOf(
            Arbitraries.of(0L, 1L, SECOND - 1, SECOND, SECOND + 1),
            Arbitraries.longs().between(0, SECOND / 50))
        .list()
        .ofMaxSize(300);
  }

  private static int naive(List<Long> calls, long end) {
    return (int) calls.stream().filter(call -> call > end - SECOND && call <= end).count();
  }

  /** Slides the second over every call, at either of its ends. */
  private static int naiveMax(List<Long> calls) {
    int max = 0;
    for (long call : calls) {
      for (long end : new long[] {call - 1, call, call + 1, call + SECOND - 1, call + SECOND}) {
        max = Math.max(max, naive(calls, end));
      }
    }
    return max;
  }
}
