package dev.weir.server.gateway;

import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A pool of HTTP/1.1 connections, each of which carries one request at a time. */
final class Http1Pool implements UpstreamPool {
  private final Connector connector;
  private final int max;
  private final long keptNanos;

  /** Idle connections, least recently used first; the most recently used is taken first. */
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();

  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  /** Number of connections that are open or being opened. */
  private int open;

  Http1Pool(Connector connector, int max) {
    this.connector = connector;
    this.max = max;
    this.keptNanos = connector.settings().times().upstreamIdle().toNanos();
  }

  @Override
  public void open(Waiting passage, boolean isFresh) {
    UpstreamConnection free = isFresh ? null : free();
    if (free != null) {
      passage.connected(free);
      return;
    }
    if (open >= max && isFresh && !idle.isEmpty()) {
      idle.removeFirst().close();
      waiting.addFirst(passage);
    } else if (open >= max) {
      waiting.addLast(passage);
    } else {
      connect(passage);
    }
  }

  private @Nullable UpstreamConnection free() {
    UpstreamConnection free = idle.pollLast();
    while (free != null && !free.isReusable()) {
      free = idle.pollLast();
    }
    return free;
  }

  private void connect(Waiting passage) {
    open++;
    connector.connect(
        this::pipeline,
        new Connector.Hearer() {
          @Override
          public void connected(Channel channel) {
            passage.connected(channel.pipeline().get(UpstreamConnection.class).opened());
          }

          @Override
          public void failed(Throwable cause) {
            open--;
            passage.unreachable(cause);
            admitNext();
          }
        });
  }

  private void pipeline(Channel channel) {
    ResponseDecoder decoder = new ResponseDecoder(connector.settings().bounds());
    channel
        .pipeline()
        .addLast(decoder, new RequestEncoder(decoder), new UpstreamConnection(channel, this));
  }

  @Override
  public void release(UpstreamConnection connection) {
    if (!connection.isReusable()) {
      connection.close();
      return;
    }
    Waiting next = nextWaiting();
    if (next == null) {
      idle.addLast(connection);
    } else {
      next.connected(connection);
    }
  }

  @Override
  public void lost(UpstreamConnection connection) {
    open--;
    idle.remove(connection);
    admitNext();
  }

  private void admitNext() {
    Waiting next = open < max ? nextWaiting() : null;
    if (next != null) {
      connect(next);
    }
  }

  private @Nullable Waiting nextWaiting() {
    Waiting next = waiting.pollFirst();
    while (next != null && !next.isConnecting()) {
      next = waiting.pollFirst();
    }
    return next;
  }

  @Override
  public void sweep(long nowNanos) {
    UpstreamConnection oldest = idle.peekFirst();
    while (oldest != null && oldest.isIdleSince(nowNanos - keptNanos)) {
      idle.removeFirst().close();
      oldest = idle.peekFirst();
    }
    waiting.removeIf(passage -> !passage.isConnecting());
  }

  @Override
  public boolean isUnused() {
    return open == 0 && waiting.isEmpty();
  }

  @Override
  public void close() {
    List.copyOf(idle).forEach(UpstreamConnection::close);
  }
}
