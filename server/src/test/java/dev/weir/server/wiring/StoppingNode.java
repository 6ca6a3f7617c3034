package dev.weir.server.wiring;

import dev.weir.node.settings.Setting;
import dev.weir.node.wiring.Node;
import dev.weir.server.http.LogWatch;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node in this process that is told to stop while clients are connected to it. */
final class StoppingNode implements AutoCloseable {
  private final LogWatch log = new LogWatch();
  private final Node node;
  private final Thread stopping;

  private StoppingNode(Node node) {
    this.node = node;
    this.stopping = new Thread(node::close, "stopping");
  }

  /** Keeps slots in memory, and waits as long as the settings say. */
  static StoppingNode start(Map<Setting, String> maxWait) {
    return new StoppingNode(TestNode.inMemory(maxWait));
  }

  URI address() {
    return node.address();
  }

  Optional<URI> gatewayAddress() {
    return node.address("gateway");
  }

  /** Tells it to stop, as a signal does. */
  void terminate() {
    stopping.start();
  }

  /** Waits for its end. */
  void await() throws InterruptedException {
    stopping.join();
  }

  /** Ends the wait that it is in, however long that would take. */
  void hurry() throws InterruptedException {
    stopping.interrupt();
    stopping.join();
  }

  List<String> log() {
    return log.lines();
  }

  @Override
  public void close() {
    stopping.interrupt();
    node.close();
    log.close();
  }
}
