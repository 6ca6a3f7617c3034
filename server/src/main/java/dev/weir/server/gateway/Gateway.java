package dev.weir.server.gateway;

import dev.weir.http.connections.ConnectionLimit;
import dev.weir.http.connections.SynDropFilter;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The reverse proxy. Accepts client connections on its own port. Thread-safe. */
public final class Gateway implements AutoCloseable {
  private static final int BACKLOG = 4_096;
  private static final long LOOK_AGAIN_MILLIS = 20;

  /**
   * Accepts connections. A loop that also serves clients accepts a few connections each time round,
   * so under load the last of a thousand new clients would wait for seconds.
   */
  private final EventLoopGroup acceptor;

  private final EventLoopGroup group;
  private final ExecutorService blocking;
  private final GatewayContext shared;
  private final Map<EventExecutor, EventLoopContext> loops = new HashMap<>();
  private final ConnectionLimit limit;
  private final Channel socket;

  /**
   * Starts the gateway and listens on the configured address.
   *
   * @throws IOException if the address cannot be bound or the certificates cannot be read
   */
  public static Gateway start(GatewaySettings settings, GatewayEngine engine) throws IOException {
    return new Gateway(settings, engine);
  }

  private Gateway(GatewaySettings settings, GatewayEngine engine) throws IOException {
    boolean isEpoll = Epoll.isAvailable();
    IoHandlerFactory handlers = isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    limit = settings.bounds().connections().limit();
    // A loop without a share of the connections to an upstream could not serve its clients.
    int connections = settings.bounds().upstreamConnections();
    int threads = Math.min(Runtime.getRuntime().availableProcessors(), connections);
    Encryption encryption = Encryption.of(settings.trust());
    acceptor =
        new MultiThreadIoEventLoopGroup(
            1, Thread.ofPlatform().daemon().name("weir-gateway-accept").factory(), handlers);
    group =
        new MultiThreadIoEventLoopGroup(
            threads, Thread.ofPlatform().daemon().name("weir-gateway-", 0).factory(), handlers);
    blocking = Executors.newVirtualThreadPerTaskExecutor();
    shared =
        new GatewayContext(
            settings,
            engine,
            encryption::context,
            new Bootstrap()
                .channel(isEpoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                // An upstream that stops reading a request may already have answered it.
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(
                    ChannelOption.CONNECT_TIMEOUT_MILLIS,
                    Math.toIntExact(settings.times().connect().toMillis())),
            blocking);
    int unshared = connections;
    for (EventExecutor executor : group) {
      int share = Math.ceilDiv(unshared, threads - loops.size());
      loops.put(executor, new EventLoopContext((EventLoop) executor, shared, share));
      unshared -= share;
    }
    boolean isListening = false;
    try {
      socket = listen(settings, isEpoll);
      isListening = true;
    } finally {
      if (!isListening) {
        stop();
      }
    }
  }

  private Channel listen(GatewaySettings settings, boolean isEpoll) throws IOException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(acceptor, group)
            .channel(isEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .handler(limit)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    connected(channel);
                  }
                })
            .bind(settings.host(), settings.port())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("cannot be listened on", bound.cause());
    }
    return bound.channel();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // Nothing depends on when it is closed.
  private void connected(Channel channel) {
    EventLoopContext loop = loops.get(channel.eventLoop());
    if (loop == null) {
      channel.close();
      return;
    }
    ClientConnection.serve(loop, channel);
  }

  /** Returns the address that the gateway listens on. */
  public URI address() {
    InetSocketAddress address = (InetSocketAddress) socket.localAddress();
    String host = address.getAddress().getHostAddress();
    return URI.create(
        "http://%s:%d"
            .formatted(host.indexOf(':') >= 0 ? "[" + host + "]" : host, address.getPort()));
  }

  /** Starts to drain: from now on every response asks its client to close the connection. */
  public void beginDraining() {
    shared.drain();
  }

  /**
   * Refuses new connections, as described by {@link SynDropFilter}, then closes the socket.
   *
   * @param arrival how long connection attempts that have already begun may take to complete
   */
  public void refuseNewcomers(Duration arrival) throws InterruptedException {
    SynDropFilter.attach(socket);
    TimeUnit.NANOSECONDS.sleep(arrival.toNanos());
    socket.close().syncUninterruptibly();
  }

  /**
   * Closes each connection after its last response, or when it has been idle for {@code idle}.
   *
   * @return a future that completes when all connections have ended
   */
  public CompletableFuture<Void> endWhenIdle(Duration idle) {
    loops.forEach((executor, loop) -> executor.execute(() -> loop.endWhenIdle(idle.toNanos())));
    CompletableFuture<Void> ended = new CompletableFuture<>();
    var looking =
        group.scheduleWithFixedDelay(
            () -> {
              if (limit.count() == 0) {
                ended.complete(null);
              }
            },
            LOOK_AGAIN_MILLIS,
            LOOK_AGAIN_MILLIS,
            TimeUnit.MILLISECONDS);
    var unused = ended.whenComplete((nothing, failure) -> looking.cancel(false));
    return ended;
  }

  /** Returns the number of connected clients. */
  public int count() {
    return limit.count();
  }

  /** Resets the connections that are still open, and stops all threads. */
  @Override
  public void close() {
    socket.close().syncUninterruptibly();
    loops.forEach((executor, loop) -> executor.submit(loop::close).awaitUninterruptibly());
    stop();
  }

  private void stop() {
    acceptor.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    blocking.close();
  }
}
