package dev.weir.server.gateway;

import dev.weir.engine.routes.Upstream;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One event loop with its clients and its connections to upstreams. All of it belongs to the thread
 * of that loop.
 *
 * <p>Time-outs are looked at now and then for all clients at once: a timer for each request would
 * cost more than the request's own bookkeeping.
 */
final class EventLoopContext {
  private static final long SWEEP_MILLIS = 100;

  /** How long a client is not read from before its close is looked for. */
  private static final long UNREAD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventLoop eventLoop;
  private final GatewayContext shared;
  private final Set<Connection> clients = new HashSet<>();
  private final Map<Upstream, UpstreamPool> pools = new HashMap<>();
  private long drainIdleNanos = Long.MAX_VALUE;

  /** A client's connection, as far as time is concerned. */
  interface Connection {
    /** It counts as idle only from now on. */
    void idleFrom(long nowNanos);

    /**
     * Returns true if its time is up.
     *
     * @param maxIdleNanos how long it may ask nothing
     */
    boolean isLate(long nowNanos, long maxIdleNanos);

    void timedOut();

    /** Returns true if a request is under way that was not read on since then. */
    boolean isUnreadSince(long nanos);

    /** Reads a little on, to see whether the client is still there. */
    void lookAhead();

    void cut();
  }

  EventLoopContext(EventLoop eventLoop, GatewayContext shared) {
    this.eventLoop = eventLoop;
    this.shared = shared;
    var unused =
        eventLoop.scheduleWithFixedDelay(
            this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  GatewayContext shared() {
    return shared;
  }

  GatewaySettings settings() {
    return shared.settings();
  }

  void add(Connection client) {
    clients.add(client);
  }

  void remove(Connection client) {
    clients.remove(client);
  }

  UpstreamPool pool(Upstream upstream) {
    UpstreamPool pool = pools.get(upstream);
    if (pool == null) {
      pool =
          upstream.protocol().isMultiplexed()
              ? new Http2Pool(new Connector(eventLoop, shared, upstream))
              : new Http1Pool(
                  new Connector(eventLoop, shared, upstream), shared.upstreamConnectionsOfALoop());
      pools.put(upstream, pool);
    }
    return pool;
  }

  /** From now on clients that ask nothing for so long are let go. */
  void endWhenIdle(long idleNanos) {
    drainIdleNanos = idleNanos;
    long now = System.nanoTime();
    clients.forEach(client -> client.idleFrom(now));
  }

  private void sweep() {
    long now = System.nanoTime();
    List<Connection> late =
        clients.stream().filter(client -> client.isLate(now, drainIdleNanos)).toList();
    late.forEach(Connection::timedOut);
    List<Connection> unread =
        clients.stream().filter(client -> client.isUnreadSince(now - UNREAD_NANOS)).toList();
    unread.forEach(Connection::lookAhead);
    pools.values().forEach(pool -> pool.sweep(now));
    pools.values().removeIf(UpstreamPool::isUnused);
  }

  /** Cuts everything. */
  void close() {
    List.copyOf(clients).forEach(Connection::cut);
    pools.values().forEach(UpstreamPool::close);
  }
}
