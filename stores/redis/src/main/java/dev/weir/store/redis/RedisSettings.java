package dev.weir.store.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Address, timeout and limits of a connection to Redis.
 *
 * @param uri {@code redis://}, {@code redis-sentinel://} or {@code redis-cluster://}, with {@code
 *     rediss} in place of {@code redis} for TLS; see {@link RedisAddress}
 * @param commandTimeout how long a call waits for its reply before it fails
 * @param prefix prefix of all keys, so that several installations can share a Redis
 * @param maxWaiting max waiting requests; further callers fail
 * @param trust PEM file of trusted certificates for TLS, of the server or its authority, in place
 *     of those that Java trusts
 */
public record RedisSettings(
    String uri, Duration commandTimeout, String prefix, int maxWaiting, Optional<Path> trust) {
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(1);
  public static final String DEFAULT_PREFIX = "weir";
  public static final int DEFAULT_MAX_WAITING = 10_000;

  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

  public RedisSettings {
    RedisAddress.of(uri);
    if (commandTimeout.toMillis() < 1 || commandTimeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "commandTimeout must be from PT0.001S to %s, not %s"
              .formatted(MAX_TIMEOUT, commandTimeout));
    }
    if (!prefix.matches("[A-Za-z0-9._/-]{1,100}")) {
      throw new IllegalArgumentException(
          "prefix must be 1 to 100 letters, digits or ./_- and not " + prefix);
    }
    if (maxWaiting < 1) {
      throw new IllegalArgumentException("maxWaiting must be at least 1, not " + maxWaiting);
    }
    trust.ifPresent(Trust::in);
  }

  public static RedisSettings of(String uri) {
    return new RedisSettings(
        uri, DEFAULT_TIMEOUT, DEFAULT_PREFIX, DEFAULT_MAX_WAITING, Optional.empty());
  }

  public RedisSettings withCommandTimeout(Duration timeout) {
    return new RedisSettings(uri, timeout, prefix, maxWaiting, trust);
  }

  public RedisSettings withPrefix(String other) {
    return new RedisSettings(uri, commandTimeout, other, maxWaiting, trust);
  }

  public RedisSettings withTrust(Path certificates) {
    return new RedisSettings(uri, commandTimeout, prefix, maxWaiting, Optional.of(certificates));
  }

  /** Omits user and password. */
  @Override
  public String toString() {
    return "%s, prefix %s, timeout %s".formatted(RedisAddress.of(uri), prefix, commandTimeout);
  }
}
