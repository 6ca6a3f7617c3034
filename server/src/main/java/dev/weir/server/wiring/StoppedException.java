package dev.weir.server.wiring;

/**
 * Thrown if the start was cancelled before the node was up; all that was started has been stopped.
 */
public final class StoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoppedException() {
    super("stopped while starting");
  }
}
