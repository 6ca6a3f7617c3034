package dev.weir.node.lifecycle;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open parts of a node. Closes them in reverse order, each even if another fails to close. */
public final class OpenParts implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OpenParts.class);

  /** The newest part comes first. */
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /** Adds an open part and returns it. */
  public <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      AutoCloseable part = parts.pop();
      try {
        part.close();
      } catch (Exception | Error e) {
        // The remaining parts must be closed all the same.
        log.error("Could not stop {}", part, e);
      }
    }
  }
}
