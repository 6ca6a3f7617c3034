package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** Buckets compared with exact arithmetic. */
class TokenBucketLawsTest {
  /** The loss from keeping only twelve digits. */
  private static final Fraction TWELVE_DIGITS = Fraction.of(1, 100_000_000_000L);

  @Provide
  Arbitrary<LimitCourse<TokenBucket>> plain() {
    return LimitCourse.plain(LimitCourse.buckets());
  }

  @Provide
  Arbitrary<LimitCourse<TokenBucket>> withRefunds() {
    return LimitCourse.withRefunds(LimitCourse.buckets());
  }

  @Provide
  Arbitrary<BigDecimal> rates() {
    return Arbitraries.bigDecimals()
        .between(new BigDecimal("0.000001"), BigDecimal.valueOf(1_000_000))
        .ofScale(12);
  }

  @Property(tries = 800, edgeCases = EdgeCasesMode.NONE)
  void bucketIsTheExactOne(@ForAll("plain") LimitCourse<TokenBucket> course) {
    TokenBucket bucket = course.limit();
    Fraction capacity = Fraction.of(bucket.capacity());
    Fraction rate = Fraction.of(bucket.refillTokens(), bucket.refillMicros());
    Fraction tokens = capacity;
    Grants grants = new Grants();
    Usage usage = Usage.NONE;
    long now = course.startMicros();
    for (LimitCourse.Move<TokenBucket> move : course.moves()) {
      long then = LimitCourse.clamp(now + move.clockMicros());
      tokens = tokens.plus(Fraction.of(then - now).times(rate)).min(capacity);
      now = then;
      long cost = move.costOf(bucket);
      Limit.Step step = bucket.decide(usage, cost, now);
      usage = step.next();
      assertThat(step.decision().isAllowed()).isEqualTo(cost <= tokens.floor());
      if (step.decision().isAllowed()) {
        tokens = tokens.minus(Fraction.of(cost));
        grants.add(now, cost);
      }
      assertThat(step.decision().remaining()).isEqualTo(tokens.floor());
    }
    for (Grants.Grant first : grants.all) {
      for (Grants.Grant last : grants.all) {
        if (last.atMicros() >= first.atMicros()) {
          Fraction refilled = Fraction.of(last.atMicros() - first.atMicros()).times(rate);
          assertThat(grants.sum(first.atMicros(), last.atMicros() + 1))
              .isLessThanOrEqualTo(capacity.plus(refilled).floor());
        }
      }
    }
  }

  /** Refilled tokens are not given back again: the kept grants would have been allowed anyway. */
  @Property(tries = 800, edgeCases = EdgeCasesMode.NONE)
  void grantsThatAreNotRefundedFitIntoTheExactBucket(
      @ForAll("withRefunds") LimitCourse<TokenBucket> course) {
    TokenBucket bucket = course.limit();
    List<Grants.Grant> kept = new ArrayList<>();
    Usage usage = Usage.NONE;
    long now = course.startMicros();
    for (LimitCourse.Move<TokenBucket> move : course.moves()) {
      now = LimitCourse.clamp(now + move.clockMicros());
      if (move.isRefund() && !kept.isEmpty()) {
        Grants.Grant back = kept.remove(move.thousandths() % kept.size());
        usage = bucket.refund(usage, back.cost(), back.atMicros(), now);
      } else {
        long cost = move.costOf(bucket);
        Limit.Step step = bucket.decide(usage, cost, now);
        usage = step.next();
        if (step.decision().isAllowed()) {
          kept.add(new Grants.Grant(now, cost));
        }
      }
    }
    Fraction capacity = Fraction.of(bucket.capacity());
    Fraction rate = Fraction.of(bucket.refillTokens(), bucket.refillMicros());
    Fraction tokens = capacity;
    long then = course.startMicros();
    for (Grants.Grant grant : kept) {
      tokens = tokens.plus(Fraction.of(grant.atMicros() - then).times(rate)).min(capacity);
      then = grant.atMicros();
      assertThat(grant.cost()).as("%s of %s", grant, kept).isLessThanOrEqualTo(tokens.floor());
      tokens = tokens.minus(Fraction.of(grant.cost()));
    }
  }

  /** The next lower rate that can be counted: never faster, and hardly slower. */
  @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
  void rateIsNeverAboveTheRequestedOneAndHardlyBelow(
      @ForAll("rates") BigDecimal rate,
      @ForAll @LongRange(min = 1, max = TokenBucket.MAX_CAPACITY) long capacity) {
    Fraction requested = new Fraction(rate.unscaledValue(), BigDecimal.TEN.pow(18).toBigInteger());
    Fraction slowest = Fraction.of(1, Usage.MAX_VALUE / capacity);
    if (requested.minus(requested.times(TWELVE_DIGITS)).compareTo(slowest) < 0) {
      if (requested.compareTo(slowest) < 0) {
        assertThatThrownBy(() -> TokenBucket.perSecond(capacity, rate))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("too slow")
            .hasMessageContaining("capacity of " + capacity);
      }
      return;
    }
    TokenBucket bucket = TokenBucket.perSecond(capacity, rate);
    Fraction got = Fraction.of(bucket.refillTokens(), bucket.refillMicros());
    assertThat(got).isLessThanOrEqualTo(requested);
    // The twelve significant digits, and neighbours in the tree, one with a large term.
    Fraction digits = requested.times(TWELVE_DIGITS);
    Fraction gap = requested.times(slowest).times(Fraction.of(3));
    assertThat(got).isGreaterThanOrEqualTo(requested.minus(digits).minus(gap));
    assertThat(bucket.capacity() * bucket.refillMicros()).isLessThanOrEqualTo(Usage.MAX_VALUE);
  }

  @Example
  void roundRatesAreExact() {
    for (String rate : new String[] {"10", "0.5", "1000000", "0.016", "3.25", "1000000000000"}) {
      TokenBucket bucket = TokenBucket.perSecond(1_000, new BigDecimal(rate));
      assertThat(bucket.perSecond()).isEqualByComparingTo(rate);
    }
    assertThat(TokenBucket.perSecond(TokenBucket.MAX_CAPACITY, BigDecimal.valueOf(333)).perSecond())
        .as("2 in 6007 µs is the next rate below 333 per second with this capacity")
        .isEqualByComparingTo(
            BigDecimal.valueOf(2_000_000).divide(BigDecimal.valueOf(6_007), new MathContext(12)));
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  void floorIsTheLargestFractionWithThatDenominator(
      @ForAll @LongRange(min = 1, max = 300) long numerator,
      @ForAll @LongRange(min = 1, max = 300) long denominator,
      @ForAll @LongRange(min = 1, max = 60) long maxDenominator) {
    Fraction exact = Fraction.of(numerator, denominator);
    Fraction best = Fraction.of(0);
    for (long each = 1; each <= maxDenominator; each++) {
      Fraction candidate = Fraction.of(numerator * each / denominator, each);
      best = candidate.compareTo(best) > 0 ? candidate : best;
    }
    Ratio found = new Ratio(numerator, denominator).floorWithDenominator(maxDenominator);
    assertThat(found.denominator()).isBetween(1L, maxDenominator);
    assertThat(Fraction.of(found.numerator(), found.denominator())).isEqualByComparingTo(best);
    assertThat(best).isLessThanOrEqualTo(exact);
  }
}
