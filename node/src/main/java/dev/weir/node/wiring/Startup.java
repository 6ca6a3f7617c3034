package dev.weir.node.wiring;

import dev.weir.node.lifecycle.StopSignal;
import dev.weir.node.settings.Settings;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The start of a node, which a signal may cancel at any moment.
 *
 * <p>Only the thread that starts the node keeps track of what it has started so far, including the
 * PostgreSQL processes. It therefore checks a stop flag between its steps and stops everything
 * itself; the thread that ends the process waits for it. Thread-safe.
 */
public final class Startup implements StopSignal {
  private final CompletableFuture<Optional<Node>> result = new CompletableFuture<>();
  private volatile boolean isStopping;

  /** Starts the node. May be called only once. */
  public Node start(Settings settings) {
    Optional<Node> started = Optional.empty();
    try {
      started = Optional.of(Node.start(settings, this));
      return started.get();
    } finally {
      result.complete(started);
    }
  }

  /** Cancels a start in progress, or drains and stops a running node. */
  public void stop() {
    isStopping = true;
    result.join().ifPresent(Node::close);
  }

  @Override
  public boolean isStopping() {
    return isStopping;
  }
}
