package dev.weir.server.wiring;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The start of a node, which a signal may end at any moment.
 *
 * <p>The thread that starts the node is the only one that knows what it has started so far, the
 * processes of PostgreSQL included. So it is told to stop, looks between its steps, and stops
 * everything itself; the thread that ends the process waits for it. Thread-safe.
 */
public final class Startup implements StopSignal {
  private final CompletableFuture<Optional<Node>> result = new CompletableFuture<>();
  private volatile boolean isStopping;

  /** Starts the node; may be called once. */
  public Node start(Settings settings) {
    Optional<Node> started = Optional.empty();
    try {
      started = Optional.of(Node.start(settings, this));
      return started.get();
    } finally {
      result.complete(started);
    }
  }

  /** Ends the start if it is under way, or drains and stops the node if it is up. */
  public void stop() {
    isStopping = true;
    result.join().ifPresent(Node::close);
  }

  @Override
  public boolean isStopping() {
    return isStopping;
  }
}
