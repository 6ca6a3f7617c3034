package dev.weir.notifications.broker;

import java.nio.file.Path;
import java.time.Duration;

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
    return new EmbeddedKafka(
        folder,
        port -> port,
        new BrokerTimes(BrokerTimes.DEFAULT.firstPause(), MAX_WAIT, MAX_WAIT));
  }
}
