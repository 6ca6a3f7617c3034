package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.Micros;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * A bucket of up to {@code capacity} tokens that starts full and is refilled at a constant rate.
 *
 * <p>The state is the debt, not the number of tokens: a bucket whose capacity is raised gains the
 * added tokens, and an untouched bucket needs no state. The debt is counted in units: a token is
 * {@code refillMicros} units and each microsecond pays {@code refillTokens} units, so all numbers
 * are whole at any rate. In a {@link Usage}, {@code used} is the debt at {@code atMicros}, {@code
 * scale} the units of a token and {@code before} the {@code refillTokens}, or 0 without debt. When
 * the rate changes, the debt is converted in whole tokens rounded up.
 *
 * @param refillTokens the tokens restored in each {@code refillMicros}, in lowest terms
 */
public record TokenBucket(long capacity, long refillTokens, long refillMicros) implements Limit {
  /** The maximum capacity, for buckets whose refill can be counted in few units. */
  public static final long MAX_CAPACITY = 1_000_000_000_000L;

  private static final MathContext SIGNIFICANT = new MathContext(12, RoundingMode.FLOOR);

  /** The minimum rate per second. */
  private static final BigDecimal MIN_RATE = new BigDecimal("1E-12");

  private static final BigDecimal MICROS_PER_SECOND = BigDecimal.valueOf(Micros.PER_SECOND);

  /**
   * Reduces the rate to lowest terms. A rate that cannot be counted exactly, because the debt of an
   * empty bucket has to fit into 53 bits, is lowered to the next one that can: slower by less than
   * three in {@code Usage.MAX_VALUE / capacity} parts.
   */
  public TokenBucket {
    Require.between("capacity", capacity, 1, MAX_CAPACITY);
    Require.between("refillTokens", refillTokens, 1, MAX_CAPACITY);
    Require.between("refillMicros", refillMicros, 1, Long.MAX_VALUE);
    long divisor = greatestCommonDivisor(refillTokens, refillMicros);
    refillTokens /= divisor;
    refillMicros /= divisor;
    long maxMicros = Usage.MAX_VALUE / capacity;
    if (refillMicros > maxMicros) {
      Ratio countable = new Ratio(refillTokens, refillMicros).floorWithDenominator(maxMicros);
      if (countable.numerator() == 0) {
        throw new IllegalArgumentException(
            "a refill of %d tokens in %s is too slow to be counted for a capacity of %d"
                .formatted(refillTokens, Micros.duration(refillMicros), capacity));
      }
      refillTokens = countable.numerator();
      refillMicros = countable.denominator();
    }
  }

  /** Returns a bucket that is full again after the given time when it was empty. */
  public static TokenBucket of(long capacity, Duration untilFull) {
    return new TokenBucket(capacity, capacity, Require.micros("untilFull", untilFull, 1));
  }

  /** Begins a bucket with a capacity, to be completed by {@link Capacity#refill}. */
  public static Capacity of(long capacity) {
    return new Capacity(capacity);
  }

  /** The capacity of a bucket whose rate is not set yet. */
  public record Capacity(long tokens) {
    public Capacity {
      Require.between("capacity", tokens, 1, MAX_CAPACITY);
    }

    /** Returns a bucket that is refilled steadily by {@code refillTokens} in each period. */
    public TokenBucket refill(long refillTokens, Duration every) {
      return new TokenBucket(tokens, refillTokens, Require.micros("every", every, 1));
    }
  }

  /**
   * Returns a bucket that is refilled by {@code refillRate} tokens per second, which need not be
   * whole.
   */
  public static TokenBucket perSecond(long capacity, BigDecimal refillRate) {
    requireNonNull(refillRate, "refillRate");
    // Compared before rounding: rounding 1E-999999999 would exhaust the memory.
    if (refillRate.compareTo(MIN_RATE) < 0
        || refillRate.compareTo(BigDecimal.valueOf(MAX_CAPACITY)) > 0) {
      throw new IllegalArgumentException(
          "refillRate must be from %s to %d tokens per second, not %s"
              .formatted(MIN_RATE, MAX_CAPACITY, refillRate));
    }
    // As many digits as let both terms fit; the rest would not be noticed in a year.
    BigDecimal rounded = refillRate.round(SIGNIFICANT);
    BigDecimal cut = rounded.setScale(Math.clamp(rounded.scale(), 0, 12), RoundingMode.FLOOR);
    BigInteger tokens = cut.unscaledValue();
    BigInteger micros = BigInteger.TEN.pow(cut.scale() + 6);
    BigInteger divisor = tokens.gcd(micros);
    return new TokenBucket(
        capacity, tokens.divide(divisor).longValueExact(), micros.divide(divisor).longValueExact());
  }

  /** Returns the tokens restored per second, to twelve digits. */
  public BigDecimal perSecond() {
    return BigDecimal.valueOf(refillTokens)
        .multiply(MICROS_PER_SECOND)
        .divide(BigDecimal.valueOf(refillMicros), new MathContext(12, RoundingMode.HALF_UP))
        .stripTrailingZeros();
  }

  @Override
  public long maxCost() {
    return capacity;
  }

  @Override
  public Usage settle(Usage usage, long nowMicros) {
    // One way for usages that are current and those that are not: then the result is made in one
    // place, and needs no object once it is compiled.
    long atMicros = isTooFarAhead(usage, nowMicros) ? nowMicros : usage.atMicros();
    // Earlier versions did not store the rate.
    long formerTokens = usage.before() == 0 ? refillTokens : usage.before();
    long left = unpaid(usage.used(), Math.max(0, nowMicros - atMicros), formerTokens);
    return usage(Math.max(nowMicros, atMicros), converted(left, usage.scale()));
  }

  @Override
  public boolean isCurrent(Usage usage, long nowMicros) {
    // Earlier versions did not store the rate.
    return (usage.used() == 0
            || (usage.scale() == refillMicros
                && (usage.before() == refillTokens || usage.before() == 0)))
        && !isTooFarAhead(usage, nowMicros);
  }

  @Override
  public boolean decaysLike(Limit other) {
    return other instanceof TokenBucket bucket
        && bucket.refillTokens == refillTokens
        && bucket.refillMicros == refillMicros;
  }

  @Override
  public TokenBucket countedLike(Usage usage) {
    return usage.used() == 0 || usage.before() == 0 || capacity > Usage.MAX_VALUE / usage.scale()
        ? this
        : new TokenBucket(capacity, usage.before(), usage.scale());
  }

  private boolean isTooFarAhead(Usage usage, long nowMicros) {
    return usage.atMicros() - nowMicros > MAX_AHEAD_MICROS
        && usage.atMicros() - nowMicros > Math.ceilDiv(capacity * refillMicros, refillTokens);
  }

  private Usage usage(long atMicros, long debt) {
    return new Usage(atMicros, debt, debt == 0 ? 0 : refillTokens, refillMicros);
  }

  /** Returns what is left of a debt after the given time at a rate. */
  private static long unpaid(long debt, long elapsedMicros, long tokens) {
    long paid = elapsedMicros * tokens;
    // No division, because decisions spend most of their time here.
    boolean isPaidOff = paid >= debt || paid < 0 || Math.multiplyHigh(elapsedMicros, tokens) != 0;
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
    return usage(settled.atMicros(), settled.used() + cost * refillMicros);
  }

  @Override
  public long waitMicros(Usage settled, long cost, long nowMicros) {
    long excess = settled.used() - (capacity - cost) * refillMicros;
    return excess <= 0 ? 0 : Math.ceilDiv(excess, refillTokens) + settled.atMicros() - nowMicros;
  }

  @Override
  public Usage giveBack(Usage settled, long cost, long takenAtMicros) {
    // Had nothing been taken, the debt would be smaller by the cost minus at most the refill since
    // then: while that debt was zero, the refill only paid for the cost. So a refund never restores
    // more than would be there if nothing had been taken, regardless of what was taken in between.
    long elapsed = Math.max(0, settled.atMicros() - takenAtMicros);
    long back = unpaid(cost * refillMicros, elapsed, refillTokens);
    long debt = Math.max(0, settled.used() - back);
    return usage(settled.atMicros(), debt);
  }

  @Override
  public long unrestored(long cost, long elapsedMicros) {
    return unpaid(cost * refillMicros, Math.max(0, elapsedMicros), refillTokens) / refillMicros;
  }

  @Override
  public long idleMicros(Usage settled, long nowMicros) {
    return settled.used() == 0
        ? 0
        : Math.ceilDiv(settled.used(), refillTokens) + settled.atMicros() - nowMicros;
  }

  /** Divides both the capacity and the rate; the rate does not fall below what can be counted. */
  @Override
  public TokenBucket share(int nodes) {
    long share = Require.share(capacity, nodes);
    long micros = Math.multiplyExact(refillMicros, nodes);
    long maxMicros = Usage.MAX_VALUE / share;
    return micros / refillTokens >= maxMicros
        ? new TokenBucket(share, 1, maxMicros)
        : new TokenBucket(share, refillTokens, micros);
  }

  /** Converts a debt counted in other units, in whole tokens rounded up. */
  private long converted(long debt, long scale) {
    if (debt == 0 || scale == refillMicros) {
      return debt;
    }
    long tokens = Math.ceilDiv(debt, scale);
    return Math.min(tokens, Usage.MAX_VALUE / refillMicros) * refillMicros;
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
