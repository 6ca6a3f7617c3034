package dev.weir.node.lifecycle;

/** Reports whether a start must be cancelled because the process is shutting down. */
@FunctionalInterface
public interface StopSignal {
  StopSignal NEVER = () -> false;

  boolean isStopping();

  /** Throws if the start must be cancelled; called between the steps of a start. */
  default void check() {
    if (isStopping()) {
      throw new StoppedException();
    }
  }
}
