package dev.weir.store.redis;

import java.time.Duration;

/**
 * Where Redis is and how long it may take.
 *
 * @param uri {@code redis://}, {@code redis-sentinel://} or {@code redis-cluster://}, with {@code
 *     rediss} in place of {@code redis} for TLS; see {@link RedisAddress}
 * @param commandTimeout after so long without an answer a call fails
 * @param prefix what every key starts with, so that several can share a Redis
 * @param mostWaiting callers beyond so many waiting demands are turned away
 */
public record RedisSettings(String uri, Duration commandTimeout, String prefix, int mostWaiting) {
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(1);
  public static final String DEFAULT_PREFIX = "weir";
  public static final int DEFAULT_MOST_WAITING = 10_000;

  private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);

  public RedisSettings {
    RedisAddress.of(uri);
    if (commandTimeout.toMillis() < 1 || commandTimeout.compareTo(LONGEST_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "commandTimeout must be from PT0.001S to %s, not %s"
              .formatted(LONGEST_TIMEOUT, commandTimeout));
    }
    if (!prefix.matches("[A-Za-z0-9._/-]{1,100}")) {
      throw new IllegalArgumentException(
          "prefix must be 1 to 100 letters, digits or ./_- and not " + prefix);
    }
    if (mostWaiting < 1) {
      throw new IllegalArgumentException("mostWaiting must be at least 1, not " + mostWaiting);
    }
  }

  public static RedisSettings of(String uri) {
    return new RedisSettings(uri, DEFAULT_TIMEOUT, DEFAULT_PREFIX, DEFAULT_MOST_WAITING);
  }

  public RedisSettings withCommandTimeout(Duration timeout) {
    return new RedisSettings(uri, timeout, prefix, mostWaiting);
  }

  public RedisSettings withPrefix(String other) {
    return new RedisSettings(uri, commandTimeout, other, mostWaiting);
  }

  /** Without user and password. */
  @Override
  public String toString() {
    return "%s, prefix %s, timeout %s".formatted(RedisAddress.of(uri), prefix, commandTimeout);
  }
}
