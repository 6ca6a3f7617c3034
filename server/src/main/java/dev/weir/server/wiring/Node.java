package dev.weir.server.wiring;

import dev.weir.server.gateway.Gateway;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running Weir node: its parsed settings, open parts and started servers. */
public final class Node implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Node.class);

  private final AtomicBoolean closed = new AtomicBoolean();
  private final Drain.Patience patience;
  private final NodeServers servers;
  private final boolean takesFeeds;
  private final OpenParts open;

  private Node(Drain.Patience patience, NodeServers servers, boolean takesFeeds, OpenParts open) {
    this.patience = patience;
    this.servers = servers;
    this.takesFeeds = takesFeeds;
    this.open = open;
  }

  /** Starts a node. If a part fails to start, the parts opened before it are closed. */
  public static Node start(Settings settings) {
    return start(settings, StopSignal.NEVER);
  }

  static Node start(Settings given, StopSignal stop) {
    NodeSettings settings = NodeSettings.of(given);
    PortProbe.check(settings.listeners());
    stop.check();
    OpenParts open = new OpenParts();
    boolean isComplete = false;
    try {
      NodeParts parts = NodeParts.open(settings, stop, open);
      NodeServers servers = NodeServers.start(settings, parts, stop, open);
      isComplete = true;
      return new Node(
          settings.web().patience(), servers, parts.payments().access().takesFeeds(), open);
    } finally {
      if (!isComplete) {
        open.close();
      }
    }
  }

  /** Returns the address of the endpoints. */
  public URI address() {
    return servers.web().address();
  }

  /** Returns whether this node takes feeds of payments. */
  public boolean takesFeeds() {
    return takesFeeds;
  }

  /** Returns the port of Envoy's rate limit service; empty if it is disabled. */
  public OptionalInt envoyPort() {
    return servers.envoy().map(EnvoyPort::port).map(OptionalInt::of).orElse(OptionalInt.empty());
  }

  /** Returns the address of the gateway; empty if it is disabled. */
  public Optional<URI> gatewayAddress() {
    return servers.gateway().map(Gateway::address);
  }

  /** Finishes requests in progress, refuses new ones, then closes everything. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      servers.drain(patience);
      open.close();
      log.info("Weir has stopped");
    }
  }
}
