package dev.weir.notifications.broker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntUnaryOperator;

/** Brokers of tests, which are not taken for gone on however busy a machine. */
public final class PatientKafka {
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);

  private PatientKafka() {}

  /**
   * Creates a broker that is not started yet.
   *
   * @param folder without data: a broker waits until the session of its predecessor has ended
   */
  public static EmbeddedKafka in(Path folder) {
    return behind(folder, port -> port);
  }

  /**
   * Creates a broker behind a relay.
   *
   * @param relay returns the port by which clients reach the broker, given the port of the broker
   */
  public static EmbeddedKafka behind(Path folder, IntUnaryOperator relay) {
    return new EmbeddedKafka(
        folder, relay, new BrokerTimes(BrokerTimes.DEFAULT.firstPause(), MAX_WAIT, MAX_WAIT));
  }
}
