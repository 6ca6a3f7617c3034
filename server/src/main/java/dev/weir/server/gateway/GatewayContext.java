package dev.weir.server.gateway;

import dev.weir.StoreException;
import dev.weir.http.connections.RequestMemory;
import dev.weir.rules.Ticket;
import io.netty.bootstrap.Bootstrap;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** State shared by all event loops. Thread-safe. */
final class GatewayContext {
  private static final Logger log = LoggerFactory.getLogger(GatewayContext.class);

  private final GatewaySettings settings;
  private final GatewayEngine engine;
  private final Function<Boolean, SslContext> encryption;
  private final Bootstrap bootstrap;
  private final ExecutorService blocking;
  private final RequestMemory memory = RequestMemory.ofThisProcess();
  private final LookAhead lookAhead = LookAhead.ofThisProcess();
  private volatile boolean isDraining;

  /**
   * Creates the shared state.
   *
   * @param encryption returns the TLS context for upstreams; those that speak HTTP/2 (true) need a
   *     separate one
   * @param bootstrap the options common to all upstream connections
   * @param blocking runs work that blocks
   */
  GatewayContext(
      GatewaySettings settings,
      GatewayEngine engine,
      Function<Boolean, SslContext> encryption,
      Bootstrap bootstrap,
      ExecutorService blocking) {
    this.settings = settings;
    this.engine = engine;
    this.encryption = encryption;
    this.bootstrap = bootstrap;
    this.blocking = blocking;
  }

  GatewaySettings settings() {
    return settings;
  }

  GatewayEngine engine() {
    return engine;
  }

  RequestMemory memory() {
    return memory;
  }

  LookAhead lookAhead() {
    return lookAhead;
  }

  SslContext encryption(boolean isMultiplexed) {
    return encryption.apply(isMultiplexed);
  }

  Bootstrap bootstrap() {
    return bootstrap;
  }

  /** Runs work on a thread that may block. */
  void await(Runnable work) {
    blocking.execute(work);
  }

  boolean isDraining() {
    return isDraining;
  }

  void drain() {
    isDraining = true;
  }

  /** Gives back what a request holds. */
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
      // What the request holds expires on its own after a while.
      log.debug("Could not give back what a request held", e);
    }
  }
}
