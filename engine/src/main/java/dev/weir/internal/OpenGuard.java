package dev.weir.internal;

/** Knows whether an object is closed, and rejects calls from then on. Thread-safe. */
public final class OpenGuard {
  private final String name;
  private volatile boolean isClosed;

  /**
   * @param name what is closed, as messages call it
   */
  public OpenGuard(String name) {
    this.name = name;
  }

  /**
   * Returns if the object is open.
   *
   * @throws IllegalStateException if it is closed
   */
  public void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException(name + " is closed");
    }
  }

  /** Rejects all calls from now on. May be repeated. */
  public void close() {
    isClosed = true;
  }
}
