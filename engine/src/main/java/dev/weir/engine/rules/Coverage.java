package dev.weir.engine.rules;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which requests a rule covers, and by which key it counts them.
 *
 * @param path the covered paths; empty to cover no request, so that the rule applies by name only
 * @param methods the covered methods in upper case; empty for all
 * @param keyBy the parts of the key, at least one
 */
public record Coverage(Optional<PathPattern> path, Set<String> methods, List<KeyPart> keyBy) {
  public static final int MAX_METHODS = 20;

  public static final int MAX_KEY_PARTS = 8;

  /** Covers no request. */
  public static final Coverage BY_NAME =
      new Coverage(Optional.empty(), Set.of(), List.of(new KeyPart.Ip()));

  public Coverage {
    // Sorted, so that a rule is always written in the same form.
    methods = Collections.unmodifiableSet(new TreeSet<>(methods));
    keyBy = List.copyOf(keyBy);
    for (String method : methods) {
      if (!method.equals(folded(method))) {
        throw new IllegalArgumentException("methods must be in upper case, not " + method);
      }
    }
    if (methods.size() > MAX_METHODS) {
      throw new IllegalArgumentException(
          "methods must be at most %d, not %d".formatted(MAX_METHODS, methods.size()));
    }
    if (keyBy.isEmpty()
        || keyBy.size() > MAX_KEY_PARTS
        || Set.copyOf(keyBy).size() < keyBy.size()) {
      throw new IllegalArgumentException(
          "keyBy must be 1 to %d different parts, not %s".formatted(MAX_KEY_PARTS, keyBy));
    }
  }

  /** Returns a coverage of all requests to the paths of a pattern, counted by client address. */
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
   * Returns a method in the form in which rules compare it. Methods are case-sensitive (RFC 9110,
   * 9.1), but some services execute {@code post} as a POST, and these must not lose their limits.
   */
  static String folded(String method) {
    return method.toUpperCase(Locale.ROOT);
  }

  /** Returns the key by which a request is counted. */
  public String key(Request request) {
    return KeyPart.key(keyBy, request);
  }
}
