package dev.weir.benchmarks;

/**
 * One line of a benchmark's table.
 *
 * @param bench the suite, for instance {@code slots}
 * @param scenario what was done, for instance {@code 64 callers, throughput}
 * @param subject who was measured
 * @param value what the subject reached
 * @param unit the unit of the value, for instance {@code slots/s}
 * @param comparison what the value is held against
 */
public record Row(
    String bench,
    String scenario,
    String subject,
    double value,
    String unit,
    Comparison comparison) {

  /** What a value is held against. */
  public sealed interface Comparison {}

  /** A value that stands for itself. */
  public record Alone() implements Comparison {}

  /**
   * A value next to a peer's, measured in the same run.
   *
   * @param peer who else was measured
   * @param peerValue what the peer reached, in the same unit
   * @param target what the ratio of subject to peer has to be
   */
  public record Against(String peer, double peerValue, Target target) implements Comparison {}

  /** What a ratio has to be. */
  public sealed interface Target {
    /** Whether the ratio is as it has to be. */
    boolean metBy(double ratio);
  }

  /** The ratio must reach a floor: more is better. */
  public record AtLeast(double floor) implements Target {
    @Override
    public boolean metBy(double ratio) {
      return ratio >= floor;
    }
  }

  /** The ratio must stay under a ceiling: less is better. */
  public record AtMost(double ceiling) implements Target {
    @Override
    public boolean metBy(double ratio) {
      return ratio <= ceiling;
    }
  }

  /** The ratio is only told. */
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

  /** A row without a peer. */
  public static Row alone(
      String bench, String scenario, String subject, double value, String unit) {
    return new Row(bench, scenario, subject, value, unit, new Alone());
  }

  /** Whether the row meets its target; a row without one does. */
  public boolean met() {
    return switch (comparison) {
      case Alone alone -> true;
      case Against against -> against.target().metBy(value / against.peerValue());
    };
  }
}
