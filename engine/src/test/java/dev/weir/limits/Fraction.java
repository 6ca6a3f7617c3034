package dev.weir.limits;

import java.math.BigInteger;

/** An exact number, for test oracles. */
record Fraction(BigInteger over, BigInteger under) implements Comparable<Fraction> {
  static Fraction of(long over, long under) {
    return new Fraction(BigInteger.valueOf(over), BigInteger.valueOf(under));
  }

  static Fraction of(long whole) {
    return of(whole, 1);
  }

  Fraction plus(Fraction other) {
    return new Fraction(
        over.multiply(other.under).add(other.over.multiply(under)), under.multiply(other.under));
  }

  Fraction minus(Fraction other) {
    return plus(new Fraction(other.over.negate(), other.under));
  }

  Fraction times(Fraction other) {
    BigInteger product = over.multiply(other.over);
    BigInteger divisor = under.multiply(other.under);
    BigInteger common = product.gcd(divisor).max(BigInteger.ONE);
    return new Fraction(product.divide(common), divisor.divide(common));
  }

  Fraction min(Fraction other) {
    return compareTo(other) <= 0 ? this : other;
  }

  long floor() {
    BigInteger[] parts = over.divideAndRemainder(under);
    return parts[0]
        .subtract(parts[1].signum() < 0 ? BigInteger.ONE : BigInteger.ZERO)
        .longValueExact();
  }

  @Override
  public int compareTo(Fraction other) {
    return over.multiply(other.under).compareTo(other.over.multiply(under));
  }
}
