package dev.weir.rules.spec;

import dev.weir.rules.matching.KeyPart;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.matching.Request;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

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

  private static final Pattern METHOD = Pattern.compile("[A-Z]{1,20}");

  /** Covers no request. */
  public static final Coverage BY_NAME =
      new Coverage(Optional.empty(), Set.of(), List.of(new KeyPart.Ip()));

  public Coverage {
    // Sorted, so that a rule is always written in the same form.
    methods = Collections.unmodifiableSet(new TreeSet<>(methods));
    keyBy = List.copyOf(keyBy);
    RuleField.METHODS.require(List.copyOf(methods));
    RuleField.KEY_BY.require(keyBy.stream().map(KeyPart::text).toList());
  }

  /** Returns what is wrong with the text of a path pattern; empty if it is valid. */
  static Optional<FieldType.Problem> pathProblem(String pattern) {
    try {
      PathPattern.of(pattern);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return FieldType.Problem.of(String.valueOf(e.getMessage()));
    }
  }

  /** Returns what is wrong with methods; empty if they are valid. */
  static Optional<FieldType.Problem> methodsProblem(List<String> methods) {
    for (String method : methods) {
      if (!METHOD.matcher(method).matches()) {
        return FieldType.Problem.of("must be methods such as GET", method);
      }
    }
    return Optional.empty();
  }

  /** Returns what is wrong with the texts of key parts; empty if they are valid. */
  static Optional<FieldType.Problem> keyByProblem(List<String> texts) {
    Set<KeyPart> parts = new HashSet<>();
    for (String text : texts) {
      try {
        KeyPart part = KeyPart.of(text);
        if (!parts.add(part)) {
          return FieldType.Problem.of("must not name %s twice".formatted(part.text()));
        }
      } catch (IllegalArgumentException e) {
        return FieldType.Problem.of(KeyPart.FORMAT, text);
      }
    }
    return Optional.empty();
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

  /** Returns the key by which a request is counted. */
  public String key(Request request) {
    return KeyPart.key(keyBy, request);
  }
}
