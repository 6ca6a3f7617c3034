package dev.weir.engine.rules;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which requests a rule covers, and by what it counts them.
 *
 * @param path without one, no request is covered: the rule is only asked for by name
 * @param methods in capitals; none for all
 * @param keyBy what makes a caller, at least one
 */
public record Coverage(Optional<PathPattern> path, Set<String> methods, List<KeyPart> keyBy) {
  public static final int MOST_METHODS = 20;

  public static final int MOST_KEY_PARTS = 8;

  /** No request. */
  public static final Coverage BY_NAME =
      new Coverage(Optional.empty(), Set.of(), List.of(new KeyPart.Ip()));

  public Coverage {
    // In one order, so that what was read is written as it was.
    methods = Collections.unmodifiableSet(new TreeSet<>(methods));
    keyBy = List.copyOf(keyBy);
    for (String method : methods) {
      if (!method.equals(folded(method))) {
        throw new IllegalArgumentException("methods must be in capitals, not " + method);
      }
    }
    if (methods.size() > MOST_METHODS) {
      throw new IllegalArgumentException(
          "methods must be at most %d, not %d".formatted(MOST_METHODS, methods.size()));
    }
    if (keyBy.isEmpty()
        || keyBy.size() > MOST_KEY_PARTS
        || Set.copyOf(keyBy).size() < keyBy.size()) {
      throw new IllegalArgumentException(
          "keyBy must be 1 to %d different things, not %s".formatted(MOST_KEY_PARTS, keyBy));
    }
  }

  /** All requests to paths of a pattern, each address by itself. */
  public static Coverage of(PathPattern path) {
    return new Coverage(Optional.of(path), Set.of(), List.of(new KeyPart.Ip()));
  }

  public Coverage methods(Set<String> others) {
    return new Coverage(path, others, keyBy);
  }

  public Coverage keyBy(List<KeyPart> others) {
    return new Coverage(path, methods, others);
  }

  /** Returns true if requests with this {@link #folded} method are covered. */
  boolean covers(String foldedMethod) {
    return methods.isEmpty() || methods.contains(foldedMethod);
  }

  /**
   * A request's method as rules compare it. Methods are case-sensitive (RFC 9110, 9.1), but there
   * are services that execute {@code post} as a POST, and these must not lose their limits.
   */
  static String folded(String method) {
    return method.toUpperCase(Locale.ROOT);
  }

  /** By what a request is counted. */
  public String key(Request request) {
    return KeyPart.key(keyBy, request);
  }
}
