package dev.weir.store.surrealdb;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Address, database, user, timeout and limits of a connection to SurrealDB.
 *
 * @param uri address of the server, {@code http://host:8000} or {@code https://…}
 * @param namespace the namespace of the database
 * @param database the database of the tables
 * @param user the user to sign in; empty for a server without authentication
 * @param timeout how long a call waits for its response before it fails
 * @param maxWaiting max waiting requests; further callers fail
 * @param acceptsAnomalies true to use a server that may hand out the same token twice, see {@link
 *     SurrealDb#open}
 */
public record SurrealDbSettings(
    URI uri,
    String namespace,
    String database,
    Optional<User> user,
    Duration timeout,
    int maxWaiting,
    boolean acceptsAnomalies) {
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);
  public static final int DEFAULT_MAX_WAITING = 10_000;

  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

  /** Where a user is defined. */
  public enum Level {
    ROOT,
    NAMESPACE,
    DATABASE
  }

  /** A user of SurrealDB. */
  public record User(String name, String password, Level level) {
    public User {
      if (name.isEmpty()) {
        throw new IllegalArgumentException("the name of a user must not be empty");
      }
    }

    /** Omits the password. */
    @Override
    public String toString() {
      return "%s (%s)".formatted(name, level);
    }
  }

  public SurrealDbSettings {
    if (!List.of("http", "https").contains(String.valueOf(uri.getScheme()))
        || uri.getHost() == null
        || uri.getUserInfo() != null) {
      throw new IllegalArgumentException(
          "uri must be http://host:port or https://host:port, without a user");
    }
    requireName("namespace", namespace);
    requireName("database", database);
    if (timeout.toMillis() < 1 || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "timeout must be from PT0.001S to %s, not %s".formatted(MAX_TIMEOUT, timeout));
    }
    if (maxWaiting < 1) {
      throw new IllegalArgumentException("maxWaiting must be at least 1, not " + maxWaiting);
    }
  }

  /** Returns settings without a user. */
  public static SurrealDbSettings of(String uri, String namespace, String database) {
    return new SurrealDbSettings(
        URI.create(uri),
        namespace,
        database,
        Optional.empty(),
        DEFAULT_TIMEOUT,
        DEFAULT_MAX_WAITING,
        false);
  }

  public SurrealDbSettings withUser(User other) {
    return new SurrealDbSettings(
        uri, namespace, database, Optional.of(other), timeout, maxWaiting, acceptsAnomalies);
  }

  public SurrealDbSettings withTimeout(Duration other) {
    return new SurrealDbSettings(
        uri, namespace, database, user, other, maxWaiting, acceptsAnomalies);
  }

  public SurrealDbSettings withAnomalies(boolean accepts) {
    return new SurrealDbSettings(uri, namespace, database, user, timeout, maxWaiting, accepts);
  }

  /** They are sent as header fields. */
  private static void requireName(String field, String name) {
    if (!name.matches("[A-Za-z0-9_-]{1,100}")) {
      throw new IllegalArgumentException(
          field + " must be 1 to 100 letters, digits, _ or -, not " + name);
    }
  }
}
