package dev.weir.rules.matching.internal;

/**
 * Thrown if a header by which rules count occurs more than once, or in two spellings: the service
 * might use another value than the one that was counted.
 */
public final class RepeatedHeaderException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RepeatedHeaderException(String name) {
    super(
        "Rules count by the header %s, so it may occur only once, and not also with _ in place of -."
            .formatted(name));
  }
}
