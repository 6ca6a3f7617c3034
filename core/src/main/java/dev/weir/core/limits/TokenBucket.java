package dev.weir.core.limits;

import dev.weir.core.Micros;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * A bucket that holds so many tokens, starts full and is refilled at a steady rate.
 *
 * <p>What is kept is not the tokens that are there but the debt that is missing, so that a bucket
 * made larger has the more tokens, and an untouched bucket needs no state. The debt is counted in
 * units of which a token has {@code refillMicros} and each microsecond pays {@code refillTokens}:
 * whole numbers, whatever the rate. A usage's {@code used} is the debt at {@code atMicros}, its
 * {@code scale} the units of a token.
 *
 * @param refillTokens so many tokens come back in each {@code refillMicros}, in lowest terms
 */
public record TokenBucket(long capacity, long refillTokens, long refillMicros) implements Limit {
  /** The largest capacity, of a bucket whose refill can be counted in few units. */
  public static final long MOST = 1_000_000_000_000L;

  private static final MathContext SIGNIFICANT = new MathContext(12, RoundingMode.FLOOR);

  /** The slowest rate per second. */
  private static final BigDecimal SLOWEST = new BigDecimal("1E-12");

  private static final BigDecimal MICROS_PER_SECOND = BigDecimal.valueOf(Micros.PER_SECOND);

  /**
   * Reduces the rate to lowest terms. A rate that cannot be counted exactly (the debt of an empty
   * bucket has to fit into 53 bits) becomes the next one below that can: slower by less than three
   * in {@code Usage.MOST / capacity} parts.
   */
  public TokenBucket {
    Require.between("capacity", capacity, 1, MOST);
    Require.between("refillTokens", refillTokens, 1, MOST);
    Require.between("refillMicros", refillMicros, 1, Long.MAX_VALUE);
    long divisor = greatestCommonDivisor(refillTokens, refillMicros);
    refillTokens /= divisor;
    refillMicros /= divisor;
    long mostMicros = Usage.MOST / capacity;
    if (refillMicros > mostMicros) {
      Ratio countable = new Ratio(refillTokens, refillMicros).nextBelow(mostMicros);
      if (countable.over() == 0) {
        throw new IllegalArgumentException(
            "a refill of %d tokens in %s is too slow to be counted for a capacity of %d"
                .formatted(refillTokens, Micros.duration(refillMicros), capacity));
      }
      refillTokens = countable.over();
      refillMicros = countable.under();
    }
  }

  /** A bucket that is full again after the given time when it was empty. */
  public static TokenBucket of(long capacity, Duration untilFull) {
    return new TokenBucket(capacity, capacity, Require.micros("untilFull", untilFull));
  }

  /** The same bucket with another rate. */
  public TokenBucket refilledBy(long tokens, Duration every) {
    return new TokenBucket(capacity, tokens, Require.micros("every", every));
  }

  /** A bucket by the tokens that come back in a second, which need not be whole. */
  public static TokenBucket perSecond(long capacity, BigDecimal rate) {
    if (rate.signum() <= 0 || rate.compareTo(BigDecimal.valueOf(MOST)) > 0) {
      throw new IllegalArgumentException(
          "refillRate must be above 0 and at most %d, not %s".formatted(MOST, rate));
    }
    // Compared before it is cut: cutting 1E-999999999 would take all memory.
    if (rate.compareTo(SLOWEST) < 0) {
      throw new IllegalArgumentException("refillRate of " + rate + " is too slow to be counted");
    }
    // So many digits that both terms fit; what is cut off would not be noticed in a year.
    BigDecimal digits = rate.round(SIGNIFICANT);
    BigDecimal cut = digits.setScale(Math.clamp(digits.scale(), 0, 12), RoundingMode.FLOOR);
    BigInteger tokens = cut.unscaledValue();
    BigInteger micros = BigInteger.TEN.pow(cut.scale() + 6);
    BigInteger divisor = tokens.gcd(micros);
    return new TokenBucket(
        capacity, tokens.divide(divisor).longValueExact(), micros.divide(divisor).longValueExact());
  }

  /** The tokens that come back in a second, to twelve digits. */
  public BigDecimal perSecond() {
    return BigDecimal.valueOf(refillTokens)
        .multiply(MICROS_PER_SECOND)
        .divide(BigDecimal.valueOf(refillMicros), new MathContext(12, RoundingMode.HALF_UP))
        .stripTrailingZeros();
  }

  @Override
  public long most() {
    return capacity;
  }

  @Override
  public Usage settle(Usage usage, long nowMicros) {
    long debt =
        usage.scale() == refillMicros ? usage.used() : converted(usage.used(), usage.scale());
    long left = unpaid(debt, Math.max(0, nowMicros - usage.atMicros()));
    return new Usage(Math.max(nowMicros, usage.atMicros()), left, 0, refillMicros);
  }

  /** What is left of a debt after a time. */
  private long unpaid(long debt, long elapsedMicros) {
    long paid = elapsedMicros * refillTokens;
    // Without a division, since this is where decisions spend their time.
    boolean isPaidOff =
        paid >= debt || paid < 0 || Math.multiplyHigh(elapsedMicros, refillTokens) != 0;
    return isPaidOff ? 0 : debt - paid;
  }

  @Override
  public boolean hasLeft(Usage settled, long cost, long nowMicros) {
    return settled.used() <= (capacity - cost) * refillMicros;
  }

  @Override
  public long remaining(Usage settled, long nowMicros) {
    return Math.max(0, (capacity * refillMicros - settled.used()) / refillMicros);
  }

  @Override
  public Usage take(Usage settled, long cost, long nowMicros) {
    return new Usage(settled.atMicros(), settled.used() + cost * refillMicros, 0, refillMicros);
  }

  @Override
  public long waitMicros(Usage settled, long cost, long nowMicros) {
    long excess = settled.used() - (capacity - cost) * refillMicros;
    return excess <= 0 ? 0 : Math.ceilDiv(excess, refillTokens) + settled.atMicros() - nowMicros;
  }

  @Override
  public Usage giveBack(Usage settled, long cost, long takenAtMicros) {
    // Without the taking, the debt would be smaller by what was taken, less at most what has
    // refilled since: while that debt was zero, the refill paid only for what was taken. So never
    // more is given back than would be there if nothing had been taken, whatever was taken between.
    long elapsed = Math.max(0, settled.atMicros() - takenAtMicros);
    long back = unpaid(cost * refillMicros, elapsed);
    long debt = Math.max(0, settled.used() - back);
    return new Usage(settled.atMicros(), debt, 0, refillMicros);
  }

  @Override
  public long idleMicros(Usage settled, long nowMicros) {
    return settled.used() == 0
        ? 0
        : Math.ceilDiv(settled.used(), refillTokens) + settled.atMicros() - nowMicros;
  }

  /** Both the capacity and the rate are divided, the rate not below what can be counted. */
  @Override
  public TokenBucket share(int nodes) {
    long share = Require.share(capacity, nodes);
    long micros = Math.multiplyExact(refillMicros, nodes);
    long mostMicros = Usage.MOST / share;
    return micros / refillTokens >= mostMicros
        ? new TokenBucket(share, 1, mostMicros)
        : new TokenBucket(share, refillTokens, micros);
  }

  /** A debt counted in other units, in whole tokens rounded up. */
  private long converted(long debt, long scale) {
    if (debt == 0) {
      return 0;
    }
    long tokens = Math.ceilDiv(debt, scale);
    return Math.min(tokens, Usage.MOST / refillMicros) * refillMicros;
  }

  private static long greatestCommonDivisor(long a, long b) {
    while (b != 0) {
      long rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  @Override
  public String toString() {
    return "%d, %d every %s".formatted(capacity, refillTokens, Micros.duration(refillMicros));
  }
}
