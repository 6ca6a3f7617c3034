package dev.weir.notifications.broker;

import java.time.Duration;

/**
 * Times of a broker in this process.
 *
 * @param firstPause after the first failure; each pause is twice as long as the one before
 * @param session how long the broker may be silent before its controller takes it for gone. After a
 *     kill, a restarted broker waits until the session of its predecessor has ended
 * @param maxStop how long a stop is awaited
 */
record BrokerTimes(Duration firstPause, Duration session, Duration maxStop) {
  static final BrokerTimes DEFAULT =
      new BrokerTimes(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(15));
}
