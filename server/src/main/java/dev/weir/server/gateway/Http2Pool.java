package dev.weir.server.gateway;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An upstream pool with one HTTP/2 connection, which carries each request on its own stream. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
final class Http2Pool implements UpstreamPool {
  /** Max concurrent streams if the upstream does not announce a maximum. */
  private static final long DEFAULT_STREAMS = 100;

  private static final int WINDOW_BYTES = 1 << 20;

  private final Connector connector;
  private final long keptNanos;
  private final WaitingRequests waiting = new WaitingRequests();

  /** The connection that accepts new streams, if there is one. */
  private @Nullable Channel parent;

  private boolean isConnecting;

  /** Max concurrent streams; 0 until the upstream has sent its settings. */
  private long maxStreams;

  /** Open streams of all connections, including a connection that accepts no new ones. */
  private int streams;

  private long idleSinceNanos = System.nanoTime();

  Http2Pool(Connector connector) {
    this.connector = connector;
    this.keptNanos = connector.settings().times().upstreamIdle().toNanos();
  }

  @Override
  public void open(Waiting passage, boolean isFresh) {
    waiting.addLast(passage);
    admit();
  }

  private void admit() {
    if (waiting.isEmpty() || isConnecting) {
      return;
    }
    Channel connection = parent;
    if (connection == null || !connection.isActive()) {
      connect();
      return;
    }
    while (streams < maxStreams) {
      Waiting next = waiting.poll(maxStreams());
      if (next == null) {
        return;
      }
      stream(connection, next);
    }
  }

  private int maxStreams() {
    return (int) Math.min(maxStreams, Integer.MAX_VALUE);
  }

  private void connect() {
    isConnecting = true;
    connector.connect(
        this::pipeline,
        new Connector.Hearer() {
          @Override
          public void connected(Channel channel) {
            isConnecting = false;
            maxStreams = 0;
            parent = channel;
          }

          @Override
          public void failed(Throwable cause) {
            isConnecting = false;
            giveUp(cause);
          }
        });
  }

  private void giveUp(Throwable cause) {
    Waiting failed = waiting.poll(Integer.MAX_VALUE);
    while (failed != null) {
      failed.unreachable(cause);
      failed = waiting.poll(Integer.MAX_VALUE);
    }
  }

  private void pipeline(Channel channel) {
    channel
        .pipeline()
        .addLast(
            Http2FrameCodecBuilder.forClient()
                .initialSettings(
                    Http2Settings.defaultSettings()
                        .pushEnabled(false)
                        .initialWindowSize(WINDOW_BYTES)
                        .maxHeaderListSize(connector.settings().bounds().headerBytes()))
                .build(),
            new Http2MultiplexHandler(new Unwanted()),
            new Connection());
  }

  private void stream(Channel connection, Waiting passage) {
    streams++;
    boolean isUnfinished = waiting.use(passage);
    new Http2StreamChannelBootstrap(connection)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel
                    .pipeline()
                    .addLast(
                        new Http2ResponseCodec(), new UpstreamConnection(channel, Http2Pool.this));
              }
            })
        .open()
        .addListener(
            (Future<Http2StreamChannel> opening) -> opened(opening, passage, isUnfinished));
  }

  private void opened(Future<Http2StreamChannel> opening, Waiting passage, boolean isUnfinished) {
    if (opening.isSuccess()) {
      passage.connected(
          opening
              .getNow()
              .pipeline()
              .get(UpstreamConnection.class)
              .opened()
              .unfinished(isUnfinished));
    } else {
      streams--;
      if (isUnfinished) {
        waiting.finished();
      }
      passage.unreachable(opening.cause());
    }
  }

  /** Closes the stream: a stream ends with its response. */
  @Override
  public void release(UpstreamConnection connection) {
    connection.close();
  }

  @Override
  public void arrived(Waiting passage) {
    waiting.arrived(passage);
    admit();
  }

  @Override
  public void finished() {
    waiting.finished();
    admit();
  }

  @Override
  public void lost(UpstreamConnection connection) {
    streams--;
    idleSinceNanos = System.nanoTime();
    admit();
  }

  @Override
  public void sweep(long nowNanos) {
    waiting.sweep();
    if (streams == 0 && parent != null && idleSinceNanos - (nowNanos - keptNanos) < 0) {
      parent.close();
      parent = null;
    }
  }

  @Override
  public boolean isUnused() {
    return streams == 0 && parent == null && !isConnecting && waiting.isEmpty();
  }

  @Override
  public void close() {
    if (parent != null) {
      parent.close();
    }
  }

  /** Handles the frames that concern the whole connection. */
  private final class Connection extends ChannelInboundHandlerAdapter {
    private boolean isGreeted;

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      if (frame instanceof Http2SettingsFrame settings) {
        greeted(context.channel(), settings.settings().maxConcurrentStreams());
      } else if (frame instanceof Http2GoAwayFrame) {
        retire(context.channel());
      }
      ReferenceCountUtil.release(frame);
    }

    private void greeted(Channel connection, @Nullable Long max) {
      if (connection.equals(parent) && (max != null || !isGreeted)) {
        maxStreams = max == null ? DEFAULT_STREAMS : max;
      }
      isGreeted = true;
      admit();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      retire(context.channel());
      context.fireChannelInactive();
      if (isGreeted) {
        admit();
      } else {
        // Retrying here would go on forever.
        giveUp(new IOException("the upstream does not speak HTTP/2"));
      }
    }

    /** Stops opening streams on this connection; streams that are open run to their end. */
    private void retire(Channel connection) {
      if (connection.equals(parent)) {
        parent = null;
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  /** Rejects streams that the upstream opens. */
  private static final class Unwanted extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      channel.close();
    }

    @Override
    public boolean isSharable() {
      return true;
    }
  }
}
