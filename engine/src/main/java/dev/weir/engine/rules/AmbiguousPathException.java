package dev.weir.engine.rules;

/** A path that is none, or that two programs could read in two ways. */
public final class AmbiguousPathException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  public AmbiguousPathException(String problem) {
    super("the path " + problem);
  }
}
