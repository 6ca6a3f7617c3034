package dev.weir.rules.spec;

import dev.weir.internal.Micros;
import dev.weir.limits.TokenBucket;
import java.math.BigDecimal;
import java.math.MathContext;

/** The rate at which a bucket is refilled, in the notation in which it was given. */
public sealed interface RefillRate {
  /** What a rate must be. */
  String REQUIREMENT =
      "must be a number above 0 and at most %d, and not too slow to be counted"
          .formatted(TokenBucket.MAX_CAPACITY);

  /** A number of tokens per second, which need not be whole. */
  record PerSecond(BigDecimal tokens) implements RefillRate {
    @Override
    public TokenBucket bucket(long capacity) {
      return TokenBucket.perSecond(capacity, tokens);
    }

    @Override
    public BigDecimal perSecond() {
      return tokens;
    }

    @Override
    public String toString() {
      return tokens.toString();
    }
  }

  /** A number of tokens in each {@code micros} microseconds, as a bucket counts them. */
  record Exact(long tokens, long micros) implements RefillRate {
    @Override
    public TokenBucket bucket(long capacity) {
      return new TokenBucket(capacity, tokens, micros);
    }

    @Override
    public BigDecimal perSecond() {
      return bucket(1).perSecond();
    }

    @Override
    public String toString() {
      return micros == 0
          ? tokens + " in no time"
          : BigDecimal.valueOf(tokens)
              .multiply(BigDecimal.valueOf(Micros.PER_SECOND))
              .divide(BigDecimal.valueOf(micros), MathContext.DECIMAL64)
              .stripTrailingZeros()
              .toString();
    }
  }

  /**
   * Returns a bucket that is refilled at this rate.
   *
   * @throws IllegalArgumentException if the rate is invalid, or cannot be counted for this capacity
   */
  TokenBucket bucket(long capacity);

  /** Returns the tokens per second, to twelve digits if the rate is exact. */
  BigDecimal perSecond();
}
