package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Places;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class PlacesTest {
  private static final long MIN_SIZE = 1_000L;
  private static final long MAX_SIZE = 31L * 86_400_000_000L;

  @Example
  void halvesTheWindowAgainAndAgain() {
    assertThat(IntStream.range(0, 8).mapToLong(place -> Places.offsetMicros(place, 8_000_000)))
        .containsExactly(
            0L, 4_000_000L, 2_000_000L, 6_000_000L, 1_000_000L, 5_000_000L, 3_000_000L, 7_000_000L);
  }

  @Property
  void isAtTheMirroredFraction(
      @ForAll @IntRange(max = Places.COUNT - 1) int place, @ForAll("sizes") long size) {
    BigInteger numerator = BigInteger.ZERO;
    BigInteger denominator = BigInteger.ONE;
    for (int rest = place; rest > 0; rest >>= 1) {
      numerator = numerator.shiftLeft(1).add(BigInteger.valueOf(rest & 1));
      denominator = denominator.shiftLeft(1);
    }
    BigInteger expected = BigInteger.valueOf(size).multiply(numerator).divide(denominator);
    assertThat(Places.offsetMicros(place, size)).isEqualTo(expected.longValueExact());
  }

  @Property
  void ranksPlacesByTheirTime(
      @ForAll @IntRange(max = Places.COUNT - 1) int one,
      @ForAll @IntRange(max = Places.COUNT - 1) int other,
      @ForAll("sizes") long size) {
    long distance = Places.offsetMicros(one, size) - Places.offsetMicros(other, size);
    int order = Integer.compare(Places.mirrored(one), Places.mirrored(other));
    // Far up two places may share a microsecond, but never in the wrong order.
    assertThat(Long.signum(distance)).isIn(0, order);
  }

  @Property(tries = 50)
  void findsTheFirstRankNotBeforeAnOffset(@ForAll("sizes") long size, @ForAll long anyOffset) {
    long offset = Math.floorMod(anyOffset, size + 20) - 10;
    int expected = Places.COUNT;
    for (int place = 0; place < Places.COUNT; place++) {
      if (Places.offsetMicros(place, size) >= offset) {
        expected = Math.min(expected, Places.mirrored(place));
      }
    }
    assertThat(Places.rank(offset, size)).isEqualTo(expected);
  }

  @Property(tries = 300)
  void masksTheSamePlacesAsAScan(
      @ForAll("sizes") long size,
      @ForAll long anyOffset,
      @ForAll @IntRange(max = Places.COUNT / 64 - 1) int anyWord) {
    long offset = Math.floorMod(anyOffset, size + 20) - 10;
    int rank = Places.rank(offset, size);
    for (int word : new int[] {0, 1, 2, anyWord}) {
      for (int bit = 0; bit < 64; bit++) {
        boolean notBefore = Places.offsetMicros(word * 64 + bit, size) >= offset;
        assertThat((Places.notBefore(word, rank) >>> bit & 1) == 1)
            .as("place %d not before %d of %d", word * 64 + bit, offset, size)
            .isEqualTo(notBefore);
      }
    }
  }

  @Property(tries = 100)
  void findsAndCountsFreePlacesLikeAScan(
      @ForAll @IntRange(min = 1, max = 300) int max,
      @ForAll("sizes") long size,
      @ForAll long seed) {
    Random random = new Random(seed);
    Window window = new Window(0);
    for (int place = 0; place < 320; place++) {
      if (random.nextInt(3) > 0) {
        window.take(place);
      }
    }
    long from = random.nextLong(-10, size + 10);
    long until = random.nextLong(-10, size + 10);
    int[] expected =
        IntStream.range(0, max)
            .filter(place -> !window.isTaken(place))
            .filter(place -> Places.offsetMicros(place, size) >= from)
            .filter(place -> Places.offsetMicros(place, size) < until)
            .toArray();
    int fromRank = Places.rank(from, size);
    int untilRank = Places.rank(until, size);
    assertThat(window.countFree(max, fromRank, untilRank)).isEqualTo(expected.length);
    assertThat(window.lowestFree(max, fromRank, untilRank))
        .isEqualTo(expected.length == 0 ? Places.NONE : expected[0]);
  }

  @Property(tries = 200)
  void keepsEventsApartAcrossWindowsToo(
      @ForAll @IntRange(min = 1, max = 5_000) int max, @ForAll("sizes") long anySize) {
    long size = Math.max(anySize, Places.grid(max));
    long[] offsets =
        IntStream.range(0, max)
            .mapToLong(place -> Places.offsetMicros(place, size))
            .sorted()
            .toArray();
    long min = size - offsets[max - 1] + offsets[0];
    for (int i = 1; i < max; i++) {
      min = Math.min(min, offsets[i] - offsets[i - 1]);
    }
    assertThat(min).isGreaterThanOrEqualTo(Math.max(1, size / (2L * max)));
  }

  @Example
  void keepsEveryPlaceOfTheLargestLimitOnItsOwnMicrosecond() {
    long size = Places.COUNT;
    long[] offsets =
        IntStream.range(0, Places.COUNT)
            .mapToLong(place -> Places.offsetMicros(place, size))
            .toArray();
    assertThat(Arrays.stream(offsets).distinct().count()).isEqualTo(Places.COUNT);
    assertThat(Arrays.stream(offsets).max().getAsLong()).isLessThan(size);
  }

  @Provide
  Arbitrary<Long> sizes() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(MIN_SIZE, MAX_SIZE),
        Arbitraries.longs().between(MIN_SIZE, 10_000_000),
        Arbitraries.of(1_000L, 1L << 20, (1L << 20) - 1, (1L << 20) + 1, 4_000_000L, MAX_SIZE));
  }
}
