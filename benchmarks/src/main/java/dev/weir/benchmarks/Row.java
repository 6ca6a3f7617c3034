package dev.weir.benchmarks;

/**
 * One line of a benchmark's table.
 *
 * @param bench the suite, for instance {@code slots}
 * @param scenario what was done, for instance {@code 64 callers, throughput}
 * @param subject the measured system
 * @param value the subject's value
 * @param unit the unit of the value, for instance {@code slots/s}
 * @param comparison what the value is compared with
 */
public record Row(
    String bench,
    String scenario,
    String subject,
    double value,
    String unit,
    Comparison comparison) {

  /** What a value is compared with. */
  public sealed interface Comparison {}

  /** A value without a comparison. */
  public record Alone() implements Comparison {}

  /**
   * A value next to a peer's, measured in the same run.
   *
   * @param peer the other measured system
   * @param peerValue the peer's value, in the same unit
   * @param target the target of the ratio of subject to peer
   */
  public record Against(String peer, double peerValue, Target target) implements Comparison {}

  /** The target of a ratio. */
  public sealed interface Target {
    /** Returns true if the ratio meets the target. */
    boolean metBy(double ratio);
  }

  /** The ratio must be at least a floor: more is better. */
  public record AtLeast(double floor) implements Target {
    @Override
    public boolean metBy(double ratio) {
      return ratio >= floor;
    }
  }

  /** The ratio must be at most a ceiling: less is better. */
  public record AtMost(double ceiling) implements Target {
    @Override
    public boolean metBy(double ratio) {
      return ratio <= ceiling;
    }
  }

  /** The ratio is only reported. */
  public record Untargeted() implements Target {
    @Override
    public boolean metBy(double ratio) {
      return true;
    }
  }

  public Row {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("value must be finite, was " + value);
    }
    if (comparison instanceof Against against && !(against.peerValue() > 0)) {
      throw new IllegalArgumentException("peerValue must be positive, was " + against.peerValue());
    }
  }

  /** Returns a row without a peer. */
  public static Row alone(
      String bench, String scenario, String subject, double value, String unit) {
    return new Row(bench, scenario, subject, value, unit, new Alone());
  }

  /** Returns true if the row meets its target or has none. */
  public boolean met() {
    return switch (comparison) {
      case Alone alone -> true;
      case Against against -> against.target().metBy(value / against.peerValue());
    };
  }
}
