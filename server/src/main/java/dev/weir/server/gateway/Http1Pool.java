package dev.weir.server.gateway;

import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A pool of HTTP/1.1 connections, each of which carries one request at a time. */
final class Http1Pool implements UpstreamPool, UpstreamConnection.Owner {
  private final Connector connector;
  private final int max;
  private final long keptNanos;

  /** Idle connections, least recently used first; the most recently used is taken first. */
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();

  private final WaitingRequests waiting = new WaitingRequests();

  /** Number of connections that are open or being opened. */
  private int open;

  Http1Pool(Connector connector, int max) {
    this.connector = connector;
    this.max = max;
    this.keptNanos = connector.settings().times().upstreamIdle().toNanos();
  }

  @Override
  public void open(Waiting passage, boolean isFresh) {
    if (!waiting.mayUse(passage, max)) {
      waiting.addLast(passage);
      return;
    }
    UpstreamConnection free = isFresh ? null : free();
    if (free != null) {
      hand(free, passage);
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

  private void hand(UpstreamConnection connection, Waiting passage) {
    passage.connected(connection.unfinished(waiting.use(passage)));
  }

  private void connect(Waiting passage) {
    open++;
    boolean isUnfinished = waiting.use(passage);
    connector.connect(
        this::pipeline,
        new Connector.Listener() {
          @Override
          public void connected(Channel channel) {
            passage.connected(
                channel.pipeline().get(UpstreamConnection.class).opened().unfinished(isUnfinished));
          }

          @Override
          public void failed(Throwable cause) {
            open--;
            if (isUnfinished) {
              waiting.finished();
            }
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
    Waiting next = waiting.poll(max);
    if (next == null) {
      idle.addLast(connection);
    } else {
      hand(connection, next);
    }
  }

  /** Lets a request proceed that waited for the share of those whose body is still arriving. */
  @Override
  public void finished() {
    waiting.finished();
    serveNext();
  }

  @Override
  public void arrived(Waiting passage) {
    waiting.arrived(passage);
    serveNext();
  }

  private void serveNext() {
    Waiting next = open < max || !idle.isEmpty() ? waiting.poll(max) : null;
    if (next == null) {
      return;
    }
    UpstreamConnection free = free();
    if (free != null) {
      hand(free, next);
    } else if (open < max) {
      connect(next);
    } else {
      waiting.addFirst(next);
    }
  }

  @Override
  public void lost(UpstreamConnection connection) {
    open--;
    idle.remove(connection);
    admitNext();
  }

  private void admitNext() {
    Waiting next = open < max ? waiting.poll(max) : null;
    if (next != null) {
      connect(next);
    }
  }

  @Override
  public void sweep(long nowNanos) {
    UpstreamConnection oldest = idle.peekFirst();
    while (oldest != null && oldest.isIdleSince(nowNanos - keptNanos)) {
      idle.removeFirst().close();
      oldest = idle.peekFirst();
    }
    waiting.sweep();
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
