package dev.weir.server.rules;

import java.time.Duration;

/**
 * How checks are answered.
 *
 * @param requestTtl for how long a check may be repeated by its request id
 * @param isBlocking whether a decision may wait for a store elsewhere
 */
public record CheckSettings(Duration requestTtl, boolean isBlocking) {
  /**
   * The Micronaut property that says whether decisions may wait; if not, they are made on the event
   * loop that reads the requests. It selects endpoints, which a bean cannot.
   */
  public static final String BLOCKING = "weir.limits.blocking";
}
