package dev.weir.rules.matching;

/** Thrown for an invalid path, or one that different programs could interpret differently. */
public final class AmbiguousPathException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  public AmbiguousPathException(String problem) {
    super("the path " + problem);
  }
}
