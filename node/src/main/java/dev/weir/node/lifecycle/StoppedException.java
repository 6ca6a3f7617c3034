package dev.weir.node.lifecycle;

/**
 * Thrown if the start was cancelled before the node was up; all that was started has been stopped.
 */
public final class StoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StoppedException() {
    super("stopped while starting");
  }
}
