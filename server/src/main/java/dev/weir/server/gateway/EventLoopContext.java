package dev.weir.server.gateway;

import dev.weir.routes.internal.Upstream;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The client connections and upstream pools of one event loop. Confined to the thread of that loop.
 *
 * <p>Time-outs are checked periodically for all clients together: a timer per request would cost
 * more than the request's own bookkeeping.
 */
final class EventLoopContext {
  private static final long SWEEP_MILLIS = 100;

  /** How long a client is left unread before the loop checks whether it has closed. */
  private static final long UNREAD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventLoop eventLoop;
  private final GatewayContext shared;
  private final int upstreamConnections;
  private final Set<Connection> clients = new HashSet<>();
  private final Map<Upstream, UpstreamPool> pools = new HashMap<>();
  private long drainIdleNanos = Long.MAX_VALUE;

  /** A client connection, as seen by the periodic time-out check. */
  interface Connection {
    /** Restarts the idle time at {@code nowNanos}. */
    void idleFrom(long nowNanos);

    /**
     * Returns true if the connection has timed out.
     *
     * @param maxIdleNanos max time without a request
     */
    boolean isLate(long nowNanos, long maxIdleNanos);

    void timedOut();

    /** Returns true if a request is in progress that has not been read since {@code nanos}. */
    boolean isUnreadSince(long nanos);

    /** Reads ahead a little to detect whether the client is still connected. */
    void lookAhead();

    void cut();
  }

  /**
   * Creates the context of an event loop.
   *
   * @param upstreamConnections the loop's share of the max connections to one upstream
   */
  EventLoopContext(EventLoop eventLoop, GatewayContext shared, int upstreamConnections) {
    this.eventLoop = eventLoop;
    this.shared = shared;
    this.upstreamConnections = upstreamConnections;
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
              : new Http1Pool(new Connector(eventLoop, shared, upstream), upstreamConnections);
      pools.put(upstream, pool);
    }
    return pool;
  }

  /** Starts to close clients that send no request for {@code idleNanos}, counted from now. */
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

  /** Resets all client connections and closes the upstream pools. */
  void close() {
    List.copyOf(clients).forEach(Connection::cut);
    pools.values().forEach(UpstreamPool::close);
  }
}
