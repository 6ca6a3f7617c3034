package dev.weir.core.limits;

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

/** Buckets against exact arithmetic. */
class TokenBucketLawsTest {
  /** What is lost if only twelve digits count. */
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

  /** Refilled tokens are not given back again: what is kept would have passed without the rest. */
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

  /** The next rate that can be counted: never faster, and hardly slower. */
  @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
  void rateIsNeverAboveTheOneAskedAndHardlyBelow(
      @ForAll("rates") BigDecimal rate,
      @ForAll @LongRange(min = 1, max = TokenBucket.MOST) long capacity) {
    Fraction asked = new Fraction(rate.unscaledValue(), BigDecimal.TEN.pow(18).toBigInteger());
    Fraction slowest = Fraction.of(1, Usage.MOST / capacity);
    if (asked.minus(asked.times(TWELVE_DIGITS)).compareTo(slowest) < 0) {
      if (asked.compareTo(slowest) < 0) {
        assertThatThrownBy(() -> TokenBucket.perSecond(capacity, rate))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("too slow")
            .hasMessageContaining("capacity of " + capacity);
      }
      return;
    }
    TokenBucket bucket = TokenBucket.perSecond(capacity, rate);
    Fraction got = Fraction.of(bucket.refillTokens(), bucket.refillMicros());
    assertThat(got).isLessThanOrEqualTo(asked);
    // The twelve digits that count, and neighbours in the tree, one of which has a large term.
    Fraction digits = asked.times(TWELVE_DIGITS);
    Fraction gap = asked.times(slowest).times(Fraction.of(3));
    assertThat(got).isGreaterThanOrEqualTo(asked.minus(digits).minus(gap));
    assertThat(bucket.capacity() * bucket.refillMicros()).isLessThanOrEqualTo(Usage.MOST);
  }

  @Example
  void roundRatesAreExact() {
    for (String rate : new String[] {"10", "0.5", "1000000", "0.016", "3.25", "1000000000000"}) {
      TokenBucket bucket = TokenBucket.perSecond(1_000, new BigDecimal(rate));
      assertThat(bucket.perSecond()).isEqualByComparingTo(rate);
    }
    assertThat(TokenBucket.perSecond(TokenBucket.MOST, BigDecimal.valueOf(333)).perSecond())
        .as("2 in 6007 µs is the next below 333 a second with so large a capacity")
        .isEqualByComparingTo(
            BigDecimal.valueOf(2_000_000).divide(BigDecimal.valueOf(6_007), new MathContext(12)));
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  void ratioBelowIsTheLargestOfSuchTerms(
      @ForAll @LongRange(min = 1, max = 300) long over,
      @ForAll @LongRange(min = 1, max = 300) long under,
      @ForAll @LongRange(min = 1, max = 60) long mostUnder) {
    Fraction exact = Fraction.of(over, under);
    Fraction best = Fraction.of(0);
    for (long each = 1; each <= mostUnder; each++) {
      Fraction candidate = Fraction.of(over * each / under, each);
      best = candidate.compareTo(best) > 0 ? candidate : best;
    }
    Ratio found = new Ratio(over, under).nextBelow(mostUnder);
    assertThat(found.under()).isBetween(1L, mostUnder);
    assertThat(Fraction.of(found.over(), found.under())).isEqualByComparingTo(best);
    assertThat(best).isLessThanOrEqualTo(exact);
  }
}
