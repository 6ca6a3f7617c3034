package dev.weir.server.rules;

import java.time.Duration;

/**
 * Settings of checks.
 *
 * @param requestTtl how long a check can be repeated with its request id
 * @param isBlocking true if a decision may wait for a remote store
 */
public record CheckSettings(Duration requestTtl, boolean isBlocking) {
  /**
   * The Micronaut property that says whether decisions may block. If false, they are made on the
   * event loop that reads the requests. It selects endpoints, which a bean cannot do.
   */
  public static final String BLOCKING = "weir.limits.blocking";
}
