package dev.weir.server.wiring;

/** Whether a start has to be given up, because the process is told to end. */
@FunctionalInterface
interface StopSignal {
  StopSignal NEVER = () -> false;

  boolean isStopping();

  /** Called between two steps of a start. */
  default void check() {
    if (isStopping()) {
      throw new StoppedException();
    }
  }
}
