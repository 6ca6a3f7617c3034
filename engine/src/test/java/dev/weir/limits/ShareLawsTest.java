package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The shares of all nodes together do not exceed the whole, unless each would be zero. */
class ShareLawsTest {
  @Provide
  Arbitrary<FixedWindow> fixed() {
    return LimitCourse.fixedWindows();
  }

  @Provide
  Arbitrary<SlidingWindow> sliding() {
    return LimitCourse.slidingWindows();
  }

  @Provide
  Arbitrary<TokenBucket> buckets() {
    return LimitCourse.buckets();
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void windowsAreDividedByTheirLimit(
      @ForAll("fixed") FixedWindow fixed,
      @ForAll("sliding") SlidingWindow sliding,
      @ForAll @IntRange(min = 1, max = Limit.MAX_NODES) int nodes) {
    dividesMost(fixed, nodes);
    dividesMost(sliding, nodes);
    FixedWindow part = fixed.share(nodes);
    assertThat(part).isEqualTo(new FixedWindow(part.limit(), fixed.windowMicros(), fixed.start()));
    assertThat(sliding.share(nodes).windowMicros()).isEqualTo(sliding.windowMicros());
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void bucketsAreDividedByCapacityAndRate(
      @ForAll("buckets") TokenBucket bucket,
      @ForAll @IntRange(min = 1, max = Limit.MAX_NODES) int nodes) {
    dividesMost(bucket, nodes);
    TokenBucket part = bucket.share(nodes);
    Fraction together =
        Fraction.of(nodes).times(Fraction.of(part.refillTokens(), part.refillMicros()));
    Fraction whole = Fraction.of(bucket.refillTokens(), bucket.refillMicros());
    boolean isSlowest =
        part.refillTokens() == 1 && part.refillMicros() == Usage.MAX_VALUE / part.capacity();
    assertThat(isSlowest || together.compareTo(whole) <= 0).as("%s of %s", part, bucket).isTrue();
  }

  @Example
  void shareOfTheSlowestBucketCanBeCounted() {
    TokenBucket slowest = new TokenBucket(500, 1, Usage.MAX_VALUE / 500);
    assertThat(slowest.share(Limit.MAX_NODES)).isEqualTo(new TokenBucket(1, 1, Usage.MAX_VALUE));
  }

  private static void dividesMost(Limit limit, int nodes) {
    long part = limit.share(nodes).maxCost();
    assertThat(part).isPositive();
    assertThat(part * nodes).isLessThanOrEqualTo(Math.max(limit.maxCost(), nodes));
    assertThat((part + 1) * nodes).isGreaterThan(limit.maxCost());
  }
}
