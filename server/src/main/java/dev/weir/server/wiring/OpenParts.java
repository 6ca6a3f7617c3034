package dev.weir.server.wiring;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node has opened; closed in reverse order, each part even if another one fails to close.
 */
final class OpenParts implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OpenParts.class);

  /** The newest first. */
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /** Adds a part that is open; returns it. */
  <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      AutoCloseable part = parts.pop();
      try {
        part.close();
      } catch (Exception e) {
        // The others have to be closed all the same.
        log.error("Could not stop {}", part, e);
      }
    }
  }
}
