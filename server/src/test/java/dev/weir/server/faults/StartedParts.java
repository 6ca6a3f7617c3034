package dev.weir.server.faults;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a test has started. It is stopped in reverse order at the end of the test, also if a later
 * part did not start or another one cannot be stopped.
 */
final class StartedParts implements AutoCloseable {
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /** Adds a part that was just started, and returns it. */
  <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public void close() {
    AssertionError failure = new AssertionError("not everything could be stopped");
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        failure.addSuppressed(e);
      }
    }
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
