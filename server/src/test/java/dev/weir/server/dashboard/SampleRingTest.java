package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;

/** The samples of the last 15 minutes, against a map that is pruned. */
class SampleRingTest {
  private static final long START = 1_780_000_000L;

  @Property(tries = 300)
  void holdsWhatWasAddedInTheLastFifteenMinutes(
      @ForAll("steps") List<Tuple2<Integer, Integer>> steps) {
    SampleRing ring = new SampleRing();
    NavigableMap<Long, double[]> oracle = new TreeMap<>();
    long second = START;
    for (Tuple2<Integer, Integer> step : steps) {
      second += step.get1();
      ring.add(
          new Sample(second)
              .set(Series.ALLOWED, step.get2())
              .set(Series.WAITING, step.get2())
              .set(Series.SLOT_P99, step.get2() % 3 == 0 ? Double.NaN : step.get2()));
      addTo(oracle, second, step.get2());

      List<Sample> samples = ring.after(Long.MIN_VALUE);
      assertThat(samples.stream().map(Sample::second)).containsExactlyElementsOf(oracle.keySet());
      assertThat(samples).hasSizeLessThanOrEqualTo(SampleRing.SECONDS);
    }
    for (Sample sample : ring.after(Long.MIN_VALUE)) {
      double[] expected = oracle.get(sample.second());
      assertThat(sample.get(Series.ALLOWED)).isEqualTo(expected[0]);
      assertThat(sample.get(Series.WAITING)).isEqualTo(expected[1]);
      assertThat(Double.valueOf(sample.get(Series.SLOT_P99)))
          .isEqualTo(Double.valueOf(expected[2] < 0 ? Double.NaN : expected[2]));
    }
    long middle = second - 300;
    assertThat(ring.after(middle).stream().map(Sample::second))
        .containsExactlyElementsOf(oracle.tailMap(middle, false).keySet());
    List<Long> newest = new ArrayList<>(oracle.descendingKeySet());
    assertThat(ring.newest(10).stream().map(Sample::second))
        .containsExactlyElementsOf(newest.subList(0, Math.min(10, newest.size())));
  }

  /** A sum, the latest value, and the largest one or -1. */
  private static void addTo(NavigableMap<Long, double[]> oracle, long second, int value) {
    double peak = value % 3 == 0 ? -1 : value;
    if (!oracle.isEmpty() && second < oracle.lastKey() - 2) {
      oracle.clear();
    }
    if (!oracle.isEmpty() && second <= oracle.lastKey()) {
      double[] newest = oracle.lastEntry().getValue();
      newest[0] += value;
      newest[1] = value;
      newest[2] = Math.max(newest[2], peak);
    } else {
      oracle.put(second, new double[] {value, value, peak});
      oracle.headMap(second - SampleRing.SECONDS, true).clear();
    }
  }

  @Example
  void isFullAfterFifteenMinutes() {
    SampleRing ring = new SampleRing();
    for (int i = 0; i < 3 * SampleRing.SECONDS; i++) {
      ring.add(new Sample(START + i));
    }
    assertThat(ring.after(Long.MIN_VALUE)).hasSize(SampleRing.SECONDS);
    assertThat(ring.after(Long.MIN_VALUE).getFirst().second())
        .isEqualTo(START + 2 * SampleRing.SECONDS);
  }

  @Provide
  Arbitrary<List<Tuple2<Integer, Integer>>> steps() {
    Arbitrary<Integer> seconds =
        Arbitraries.frequencyOf(
            Tuple.of(12, Arbitraries.just(1)),
            Tuple.of(3, Arbitraries.integers().between(-2, 3)),
            Tuple.of(1, Arbitraries.integers().between(100, 1_000)),
            Tuple.of(1, Arbitraries.integers().between(-100, -3)));
    return seconds
        .flatMap(by -> Arbitraries.integers().between(0, 50).map(value -> Tuple.of(by, value)))
        .list()
        .ofMaxSize(60);
  }
}
