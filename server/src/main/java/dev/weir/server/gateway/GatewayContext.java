package dev.weir.server.gateway;

import dev.weir.engine.StoreException;
import dev.weir.engine.rules.Ticket;
import io.netty.bootstrap.Bootstrap;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all event loops share. Thread-safe. */
final class GatewayContext {
  private static final Logger log = LoggerFactory.getLogger(GatewayContext.class);

  private final GatewaySettings settings;
  private final GatewayEngine engine;
  private final Function<Boolean, SslContext> encryption;
  private final Bootstrap bootstrap;
  private final ExecutorService blocking;
  private final int loops;
  private final LookAhead lookAhead = LookAhead.ofThisProcess();
  private final AtomicInteger connections = new AtomicInteger();
  private volatile boolean isDraining;

  /**
   * @param encryption to upstreams, of which those that speak HTTP/2 want one of their own
   * @param bootstrap what all connections to upstreams have in common
   * @param blocking runs what waits for somebody
   * @param loops how many event loops there are
   */
  GatewayContext(
      GatewaySettings settings,
      GatewayEngine engine,
      Function<Boolean, SslContext> encryption,
      Bootstrap bootstrap,
      ExecutorService blocking,
      int loops) {
    this.settings = settings;
    this.engine = engine;
    this.encryption = encryption;
    this.bootstrap = bootstrap;
    this.blocking = blocking;
    this.loops = loops;
  }

  GatewaySettings settings() {
    return settings;
  }

  GatewayEngine engine() {
    return engine;
  }

  LookAhead lookAhead() {
    return lookAhead;
  }

  SslContext encryption(boolean isMultiplexed) {
    return encryption.apply(isMultiplexed);
  }

  /** Each has its part of what there may be. */
  int upstreamConnectionsOfALoop() {
    return Math.ceilDiv(settings.bounds().upstreamConnections(), loops);
  }

  Bootstrap bootstrap() {
    return bootstrap;
  }

  /** Runs on a thread that may wait. */
  void await(Runnable work) {
    blocking.execute(work);
  }

  /** Whether one more client may connect; if so, {@link #left} has to be called once. */
  boolean mayEnter() {
    if (connections.incrementAndGet() <= settings.bounds().connections()) {
      return true;
    }
    connections.decrementAndGet();
    return false;
  }

  void left() {
    connections.decrementAndGet();
  }

  int connections() {
    return connections.get();
  }

  boolean isDraining() {
    return isDraining;
  }

  void drain() {
    isDraining = true;
  }

  /** Gives back what a request has held. */
  void close(Ticket ticket) {
    if (ticket.isEmpty()) {
      ticket.close();
    } else if (engine.isBlocking()) {
      await(() -> closeNow(ticket));
    } else {
      closeNow(ticket);
    }
  }

  private static void closeNow(Ticket ticket) {
    try {
      ticket.close();
    } catch (StoreException e) {
      // It ends by itself after a while.
      log.debug("Could not give back what a request held", e);
    }
  }
}
