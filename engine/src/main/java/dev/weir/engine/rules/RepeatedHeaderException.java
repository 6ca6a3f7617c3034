package dev.weir.engine.rules;

/**
 * A header by which rules count is there more than once, or in two spellings: the service may take
 * another value than the one that was counted.
 */
public final class RepeatedHeaderException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RepeatedHeaderException(String name) {
    super(
        "Rules count by the header %s, so it may be there only once, and not with _ for - too."
            .formatted(name));
  }
}
