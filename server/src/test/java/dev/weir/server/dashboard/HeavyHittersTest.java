package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The most frequent keys in bounded memory, against exact counts. */
class HeavyHittersTest {
  @Property(tries = 500)
  void countsAreTooSmallByTheErrorAtMost(
      @ForAll("portions") List<Map<Integer, Long>> portions,
      @ForAll @IntRange(min = 1, max = 8) int capacity) {
    HeavyHitters<Integer> hitters = new HeavyHitters<>(capacity);
    portions.forEach(hitters::add);
    check(hitters, exact(portions), capacity);
  }

  @Property(tries = 500)
  void thatHoldsForTheSumOfTwo(
      @ForAll("portions") List<Map<Integer, Long>> one,
      @ForAll("portions") List<Map<Integer, Long>> other,
      @ForAll @IntRange(min = 1, max = 8) int capacity) {
    HeavyHitters<Integer> first = new HeavyHitters<>(capacity);
    one.forEach(first::add);
    HeavyHitters<Integer> second = new HeavyHitters<>(capacity);
    other.forEach(second::add);
    HeavyHitters<Integer> both = new HeavyHitters<>(capacity);
    both.add(first);
    both.add(second);

    Map<Integer, Long> exact = exact(one);
    exact(other).forEach((key, count) -> exact.merge(key, count, Long::sum));
    check(both, exact, capacity);
  }

  private static void check(HeavyHitters<Integer> hitters, Map<Integer, Long> exact, int capacity) {
    assertThat(hitters.size()).isLessThanOrEqualTo(capacity);
    long all = exact.values().stream().mapToLong(Long::longValue).sum();
    assertThat(hitters.error()).isLessThanOrEqualTo(all / (capacity + 1));
    Map<Integer, Long> counted = new HashMap<>();
    hitters
        .top(capacity, Comparator.naturalOrder())
        .forEach(hitter -> counted.put(hitter.key(), hitter.count()));
    exact.forEach(
        (key, count) ->
            assertThat(counted.getOrDefault(key, 0L))
                .as("key %d", key)
                .isBetween(count - hitters.error(), count));
    assertThat(exact.keySet()).containsAll(counted.keySet());
  }

  private static Map<Integer, Long> exact(List<Map<Integer, Long>> portions) {
    Map<Integer, Long> exact = new HashMap<>();
    portions.forEach(
        portion -> portion.forEach((key, count) -> exact.merge(key, count, Long::sum)));
    return exact;
  }

  @Example
  void theMostFrequentComeFirst() {
    HeavyHitters<String> hitters = new HeavyHitters<>(10);
    hitters.add(Map.of("a", 3L, "b", 7L, "c", 3L, "d", 1L));
    assertThat(hitters.top(3, Comparator.naturalOrder()))
        .containsExactly(
            new HeavyHitters.Hitter<>("b", 7),
            new HeavyHitters.Hitter<>("a", 3),
            new HeavyHitters.Hitter<>("c", 3));
    assertThat(hitters.error()).isZero();
  }

  @Example
  void keysBelowTheErrorAreLeftOut() {
    HeavyHitters<String> hitters = new HeavyHitters<>(2);
    hitters.add(Map.of("a", 9L, "b", 5L, "c", 3L));
    // 3 were taken from all: a has at least 6, b at least 2.
    assertThat(hitters.certain(5, Comparator.naturalOrder(), 0))
        .containsExactly(new HeavyHitters.Hitter<>("a", 6));
    assertThat(hitters.certain(5, Comparator.naturalOrder(), 3)).hasSize(1);
    assertThat(hitters.certain(5, Comparator.naturalOrder(), 4)).isEmpty();
  }

  @Provide
  Arbitrary<List<Map<Integer, Long>>> portions() {
    return Arbitraries.maps(
            Arbitraries.integers().between(0, 30), Arbitraries.longs().between(1, 20))
        .ofMaxSize(20)
        .list()
        .ofMaxSize(10);
  }
}
