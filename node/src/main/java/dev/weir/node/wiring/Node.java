package dev.weir.node.wiring;

import dev.weir.StoreException;
import dev.weir.http.authentication.AuthMetrics;
import dev.weir.http.authentication.Exposure;
import dev.weir.http.authentication.FailedLogins;
import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.Drain;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.StopSignal;
import dev.weir.node.settings.PortProbe;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.Database;
import dev.weir.node.tracing.Tracing;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running Weir node: its settings, its open capabilities and its web server. */
public final class Node implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Node.class);

  private final AtomicBoolean closed = new AtomicBoolean();
  private final Drain.Times drainTimes;
  private final WebServer web;
  private final OpeningNode parts;

  private Node(Drain.Times drainTimes, WebServer web, OpeningNode parts) {
    this.drainTimes = drainTimes;
    this.web = web;
    this.parts = parts;
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
      OpeningNode parts = open(settings, stop, open);
      for (Capability.Configured each : settings.capabilities()) {
        each.listen(parts);
      }
      stop.check();
      warnOfAnonymousClients(settings);
      // The last one, because it reports that the node is ready.
      WebServer web = WebServer.start(settings.web(), parts.beans(), parts.properties());
      isComplete = true;
      return new Node(settings.web().drainTimes(), web, parts);
    } finally {
      if (!isComplete) {
        open.close();
      }
    }
  }

  /** Opens the database and the capabilities, one by one. */
  private static OpeningNode open(NodeSettings settings, StopSignal stop, OpenParts open) {
    PrometheusRegistry registry = new PrometheusRegistry();
    JvmMetrics.builder().register(registry);
    Optional<Database> database =
        settings.database().map(given -> open.add(Database.open(given, stop)));
    database.ifPresent(each -> each.measure(registry));
    OpeningNode node = new OpeningNode(database, settings.offers(), registry, open);
    node.bean(settings.http());
    node.bean(new FailedLogins(new AuthMetrics(registry)));
    settings
        .tracing()
        .ifPresent(to -> node.bean(open.add(new Tracing(to.collector(), to.percent()))));
    try {
      for (Capability.Configured each : settings.capabilities()) {
        each.open(node);
        stop.check();
      }
    } catch (StoreException e) {
      throw database.isPresent() ? database.get().unusable(e) : e;
    }
    database.ifPresent(used -> open.add(used.listen(node.changes())));
    return node;
  }

  private static void warnOfAnonymousClients(NodeSettings settings) {
    if (settings.web().exposure() == Exposure.NETWORK_WITH_ANONYMOUS_CLIENTS) {
      log.warn(
          "Every program that reaches {} may pay and send without a credential:"
              + " weir.allow-anonymous-clients is true",
          settings.web().host());
    }
  }

  /** Returns the address of the endpoints. */
  public URI address() {
    return web.address();
  }

  /**
   * Returns the address of a port of a capability, such as the gateway; empty if it is disabled.
   */
  public Optional<URI> address(String name) {
    return parts.address(name);
  }

  /** Returns the names of what its capabilities offer. */
  public Set<String> offers() {
    return parts.offers();
  }

  /** Finishes requests in progress, refuses new ones, then closes everything. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        drain();
      } finally {
        // Each of the parts is closed, whatever became of the others.
        parts.open().close();
        log.info("Weir has stopped");
      }
    }
  }

  /**
   * Finishes requests in progress and refuses new ones, on all ports at the same time; then closes
   * the web server. The other ports are closed with the parts.
   */
  private void drain() {
    List<Thread> beside = parts.drains().stream().map(Thread::startVirtualThread).toList();
    List<Drain.Door> doors = new ArrayList<>(List.of(web));
    doors.addAll(parts.doors());
    try {
      Drain.run(drainTimes, doors);
    } finally {
      web.close();
      beside.forEach(Node::await);
    }
  }

  private static void await(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
