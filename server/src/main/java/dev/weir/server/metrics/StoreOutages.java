package dev.weir.server.metrics;

import dev.weir.StoreException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores of limits that do not answer, and why. Begin and end of each outage are logged once,
 * whatever the number of components that use the store. Thread-safe; there are only a few stores.
 */
public final class StoreOutages {
  private static final Logger log = LoggerFactory.getLogger(StoreOutages.class);

  /** The latest failure of each store. */
  private final ConcurrentMap<String, String> failures = new ConcurrentHashMap<>();

  /** The cause of each outage. */
  private final ConcurrentMap<String, String> causes = new ConcurrentHashMap<>();

  /** Notes that a store did not answer a call. */
  void failed(String store, StoreException failure) {
    String cause = cause(failure);
    failures.put(store, cause);
    // A wrong password, for instance, may replace a refused connection.
    causes.replace(store, cause);
    log.debug("{} did not answer", nameOf(store), failure);
  }

  void begin(String store) {
    String cause = failures.getOrDefault(store, "no answer");
    if (causes.putIfAbsent(store, cause) == null) {
      log.warn(
          "{} is away, which counts limits: {}. Rules say what happens without it",
          nameOf(store),
          cause);
    }
  }

  void end(String store) {
    if (causes.remove(store) != null) {
      log.info("{} is back, which counts limits", nameOf(store));
    }
  }

  /** Returns the stores that do not answer, each with the cause. */
  public Map<String, String> causes() {
    return Map.copyOf(causes);
  }

  /** Returns a sentence about each store that does not answer. */
  public List<String> warnings() {
    return causes().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(
            outage ->
                "%s does not answer, so limits are decided without it or not at all: %s"
                    .formatted(nameOf(outage.getKey()), outage.getValue()))
        .toList();
  }

  private static String nameOf(String store) {
    return switch (store) {
      case "postgresql" -> "PostgreSQL";
      case "oracle" -> "Oracle";
      case "redis" -> "Redis";
      case "surrealdb" -> "SurrealDB";
      default -> store;
    };
  }

  /** Returns the first lines of what failed and of what caused it first. */
  private static String cause(StoreException failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String text = firstLine(failure);
    String first = firstLine(root);
    return text.contains(first) ? text : text + " (" + first + ")";
  }

  private static String firstLine(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return message.lines().findFirst().orElse(failure.getClass().getSimpleName());
  }
}
