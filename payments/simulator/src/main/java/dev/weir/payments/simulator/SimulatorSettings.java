package dev.weir.payments.simulator;

import java.time.Duration;

/**
 * How the simulated payment API behaves.
 *
 * @param ceiling the max number of calls in any sliding second; further ones are refused
 * @param latency the mean time to answer; each answer takes between half and one and a half of it
 * @param silence how long a call that gets no answer stays open
 * @param seed makes the faults of every attempt reproducible, in whatever order calls arrive
 * @param maxPayments the number of payments that it remembers; calls for further ones fail
 */
public record SimulatorSettings(
    int ceiling, Duration latency, Duration silence, Faults faults, long seed, int maxPayments) {
  public static final int DEFAULT_CEILING = 50;
  public static final int DEFAULT_MAX_PAYMENTS = 2_000_000;
  private static final Duration MAX_TIME = Duration.ofMinutes(10);

  public SimulatorSettings {
    if (ceiling < 1) {
      throw new IllegalArgumentException("ceiling must be at least 1, not " + ceiling);
    }
    if (maxPayments < 1) {
      throw new IllegalArgumentException("maxPayments must be at least 1, not " + maxPayments);
    }
    requireTime("latency", latency);
    requireTime("silence", silence);
  }

  /** Returns an API that answers without delay or fault below its ceiling. */
  public static SimulatorSettings faultless(int ceiling) {
    return new SimulatorSettings(
        ceiling, Duration.ZERO, Duration.ZERO, Faults.NONE, 0, DEFAULT_MAX_PAYMENTS);
  }

  private static void requireTime(String name, Duration time) {
    if (time.isNegative() || time.compareTo(MAX_TIME) > 0) {
      throw new IllegalArgumentException(
          "%s must be between 0 and %s, not %s".formatted(name, MAX_TIME, time));
    }
  }

  /**
   * The shares of calls that go wrong, each between 0 and 1.
   *
   * @param rejected payments that are refused for good, whatever the attempt
   * @param failed calls that end with a 5xx status and book nothing
   * @param timedOut calls without an answer; about half of them book the payment
   * @param lost calls that book the payment and then lose their connection
   */
  public record Faults(double rejected, double failed, double timedOut, double lost) {
    public static final Faults NONE = new Faults(0, 0, 0, 0);

    public Faults {
      requireShare("rejected", rejected);
      requireShare("failed", failed);
      requireShare("timedOut", timedOut);
      requireShare("lost", lost);
      requireShare("failed + timedOut + lost", failed + timedOut + lost);
    }

    private static void requireShare(String name, double share) {
      // Written so that NaN is refused too.
      if (!(share >= 0 && share <= 1)) {
        throw new IllegalArgumentException(name + " must be between 0 and 1, not " + share);
      }
    }
  }
}
