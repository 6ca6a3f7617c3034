package dev.weir.server.gateway;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** An upstream that speaks HTTP/2 and sends back what it gets. */
final class Http2Upstream implements AutoCloseable {
  static final int MAX_STREAMS = 10;

  /** A path with the name of an error behind this resets its stream. */
  static final String RESET = "/reset/";

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<FullHttpRequest> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicLong written = new AtomicLong();
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Function<FullHttpRequest, FullHttpResponse> service;
  private final Channel socket;

  Http2Upstream(Optional<SslContext> encryption) {
    this(encryption, Http2Upstream::echo);
  }

  Http2Upstream(
      Optional<SslContext> encryption, Function<FullHttpRequest, FullHttpResponse> service) {
    this.service = service;
    socket =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    connections.incrementAndGet();
                    open.add(channel);
                    encryption.ifPresent(
                        tls -> channel.pipeline().addLast(tlsHandler(tls, channel)));
                    channel
                        .pipeline()
                        .addLast(
                            new WrittenBytes(),
                            Http2FrameCodecBuilder.forServer()
                                .initialSettings(
                                    Http2Settings.defaultSettings()
                                        .maxConcurrentStreams(MAX_STREAMS))
                                .build(),
                            new Http2MultiplexHandler(new Stream()));
                  }
                })
            .bind("127.0.0.1", 0)
            .syncUninterruptibly()
            .channel();
  }

  private static SslHandler tlsHandler(SslContext tls, Channel channel) {
    SslHandler handler = tls.newHandler(channel.alloc());
    handler.setHandshakeTimeout(5, TimeUnit.MINUTES);
    return handler;
  }

  private static FullHttpResponse echo(FullHttpRequest request) {
    ByteBuf body = request.content().retain();
    FullHttpResponse answer =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
    answer.headers().set("x-path", request.uri());
    return answer;
  }

  /** Echoes what has a body; all others get one, even if it must not be. */
  static FullHttpResponse superfluous(FullHttpRequest request) {
    if (request.content().isReadable()) {
      return echo(request);
    }
    HttpResponseStatus status =
        request.uri().equals("/")
            ? HttpResponseStatus.OK
            : HttpResponseStatus.valueOf(Integer.parseInt(request.uri().substring(1)));
    return new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer("POISON", StandardCharsets.US_ASCII));
  }

  /** Announces a body and sends none; also after the head, for the path {@code /later}. */
  static FullHttpResponse bodiless(FullHttpRequest request) {
    HttpResponseStatus status =
        request.uri().equals("/304") ? HttpResponseStatus.NOT_MODIFIED : HttpResponseStatus.OK;
    FullHttpResponse answer =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
    answer.headers().set("content-length", 100);
    if (request.uri().equals("/later")) {
      answer.trailingHeaders().set("x-end", "here");
    }
    return answer;
  }

  int port() {
    return ((InetSocketAddress) socket.localAddress()).getPort();
  }

  /** Returns the number of bytes that have been written to all connections. */
  long written() {
    return written.get();
  }

  int connections() {
    return connections.get();
  }

  /** Returns the number of connections that neither side has closed. */
  int open() {
    return open.size();
  }

  /** Asks for no more requests on the connections that there are, and leaves it at that. */
  void goAway() {
    for (Channel each : open) {
      each.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR)).syncUninterruptibly();
    }
  }

  /** Returns the number of requests for a path that have arrived. */
  long count(String path) {
    return requests.stream().filter(request -> request.uri().equals(path)).count();
  }

  FullHttpRequest last() {
    return requests.getLast();
  }

  @Override
  public void close() {
    socket.close().syncUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** Counts what is written to the connections. */
  private final class WrittenBytes extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      if (message instanceof ByteBuf bytes) {
        written.addAndGet(bytes.readableBytes());
      }
      context.write(message, promise);
    }
  }

  private final class Stream extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      channel
          .pipeline()
          .addLast(
              new Http2StreamFrameToHttpObjectCodec(true),
              new HttpObjectAggregator(1 << 26),
              new Echo());
    }

    @Override
    public boolean isSharable() {
      return true;
    }
  }

  private final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      requests.add(request);
      var unused =
          context.writeAndFlush(
              request.uri().startsWith(RESET)
                  ? new DefaultHttp2ResetFrame(
                      Http2Error.valueOf(request.uri().substring(RESET.length())))
                  : service.apply(request));
    }
  }
}
