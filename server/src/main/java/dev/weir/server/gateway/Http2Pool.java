package dev.weir.server.gateway;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2FrameCodec;
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

/**
 * An upstream pool with one HTTP/2 connection, which carries each request on its own stream.
 *
 * <p>A connection whose other end has vanished is not noticed by TCP for minutes. So a stream that
 * ends after a while in which nothing was heard on its connection is the last: the next stream
 * opens another connection. One that does not even begin to speak HTTP/2 is given up after the time
 * that a connection may take.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
final class Http2Pool implements UpstreamPool {
  /** Max concurrent streams if the upstream does not announce a maximum. */
  private static final long DEFAULT_STREAMS = 100;

  private final Connector connector;
  private final long keptNanos;
  private final long connectNanos;
  private final WaitingRequests waiting = new WaitingRequests();

  /** The connection that accepts new streams, if there is one. */
  private @Nullable Connection parent;

  private boolean isConnecting;

  /** Max concurrent streams; 0 until the upstream has sent its settings. */
  private long maxStreams;

  /** Open streams of all connections, including a connection that accepts no new ones. */
  private int streams;

  private long idleSinceNanos = System.nanoTime();

  Http2Pool(Connector connector) {
    this.connector = connector;
    this.keptNanos = connector.settings().times().upstreamIdle().toNanos();
    this.connectNanos = connector.settings().times().connect().toNanos();
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
    Connection connection = parent;
    if (connection == null || !connection.channel.isActive()) {
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
        new Connector.Listener() {
          @Override
          public void connected(Channel channel) {
            isConnecting = false;
            maxStreams = 0;
            Connection connection = channel.pipeline().get(Connection.class);
            connection.openedNanos = System.nanoTime();
            parent = connection;
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
            new ReadClock(),
            codec(),
            new Http2MultiplexHandler(new Unwanted()),
            new Connection(channel));
  }

  /**
   * Returns a codec whose connection has no window of its own: what clients do not read would fill
   * it, and stop the responses of all others. Each stream still has one, of 64 KiB.
   */
  private Http2FrameCodec codec() {
    Http2FrameCodec codec =
        Http2FrameCodecBuilder.forClient()
            .initialSettings(
                Http2Settings.defaultSettings()
                    .pushEnabled(false)
                    .maxHeaderListSize(connector.settings().bounds().headerBytes()))
            .build();
    Http2Connection connection = codec.connection();
    connection
        .local()
        .flowController(
            new DefaultHttp2LocalFlowController(
                    connection, DefaultHttp2LocalFlowController.DEFAULT_WINDOW_UPDATE_RATIO, true)
                .frameWriter(codec.encoder().frameWriter()));
    return codec;
  }

  private void stream(Connection connection, Waiting passage) {
    streams++;
    connection.carried++;
    boolean isUnfinished = waiting.use(passage);
    new Http2StreamChannelBootstrap(connection.channel)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel
                    .pipeline()
                    .addLast(new Http2ResponseCodec(), new UpstreamConnection(channel, connection));
              }
            })
        .open()
        .addListener(
            (Future<Http2StreamChannel> opening) ->
                opened(connection, opening, passage, isUnfinished));
  }

  private void opened(
      Connection connection,
      Future<Http2StreamChannel> opening,
      Waiting passage,
      boolean isUnfinished) {
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
      connection.carried--;
      if (isUnfinished) {
        waiting.finished();
      }
      passage.unreachable(opening.cause());
    }
  }

  @Override
  public void arrived(Waiting passage) {
    waiting.arrived(passage);
    admit();
  }

  @Override
  public void sweep(long nowNanos) {
    waiting.sweep();
    Connection connection = parent;
    if (connection != null && isUseless(connection, nowNanos)) {
      connection.channel.close();
      parent = null;
    }
  }

  /** Returns true if the connection has been idle for long, or its other end says nothing. */
  private boolean isUseless(Connection connection, long nowNanos) {
    return connection.isGreeted
        ? streams == 0 && idleSinceNanos - (nowNanos - keptNanos) < 0
        : connection.openedNanos - (nowNanos - connectNanos) < 0;
  }

  @Override
  public boolean isUnused() {
    return streams == 0 && parent == null && !isConnecting && waiting.isEmpty();
  }

  @Override
  public void close() {
    if (parent != null) {
      parent.channel.close();
    }
  }

  /** Notes when anything arrives. */
  private static final class ReadClock extends ChannelInboundHandlerAdapter {
    private long lastNanos = System.nanoTime();

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      lastNanos = System.nanoTime();
      context.fireChannelRead(bytes);
    }
  }

  /** Owns the streams, and handles the frames that concern the whole connection. */
  private final class Connection extends ChannelInboundHandlerAdapter
      implements UpstreamConnection.Owner {
    private final Channel channel;
    private long openedNanos;

    /** Whether the upstream has sent its settings. */
    private boolean isGreeted;

    /** The number of its open streams. */
    private int carried;

    Connection(Channel channel) {
      this.channel = channel;
    }

    /** Closes the stream: a stream ends with its response. */
    @Override
    public void release(UpstreamConnection stream) {
      stream.close();
    }

    @Override
    public void finished() {
      waiting.finished();
      admit();
    }

    @Override
    public void lost(UpstreamConnection stream) {
      streams--;
      carried--;
      idleSinceNanos = System.nanoTime();
      if (this != parent || isDeaf(stream)) {
        retire();
      }
      admit();
    }

    /** Returns true if nothing was heard while a stream was open, and that was long enough. */
    private boolean isDeaf(UpstreamConnection stream) {
      long readNanos = channel.pipeline().get(ReadClock.class).lastNanos;
      return readNanos - stream.openedNanos() < 0
          && idleSinceNanos - stream.openedNanos() >= keptNanos;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      if (frame instanceof Http2SettingsFrame settings) {
        greeted(settings.settings().maxConcurrentStreams());
      } else if (frame instanceof Http2GoAwayFrame) {
        retire();
      }
      ReferenceCountUtil.release(frame);
    }

    private void greeted(@Nullable Long max) {
      if (this == parent && (max != null || !isGreeted)) {
        maxStreams = max == null ? DEFAULT_STREAMS : max;
      }
      isGreeted = true;
      admit();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      retire();
      context.fireChannelInactive();
      if (isGreeted) {
        admit();
      } else {
        // Retrying here would go on forever.
        giveUp(new IOException("the upstream does not speak HTTP/2"));
      }
    }

    /** Stops opening streams on this connection; it closes when those that are open have ended. */
    private void retire() {
      if (this == parent) {
        parent = null;
      }
      if (carried == 0) {
        channel.close();
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
