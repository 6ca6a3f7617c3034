package dev.weir.http.connections;

import io.micronaut.context.BeanProvider;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.micronaut.http.server.netty.configuration.NettyHttpServerConfiguration;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpDecoderConfig;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * The listening sockets and the open connections. Thread-safe.
 *
 * <p>Micronaut's own shutdown closes both at the same time: it resets connections that are
 * established but not accepted yet, and cuts off requests in transit on connections that look idle.
 */
@Singleton
public final class Connections implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {
  private final ListenerSettings settings;
  private final ConnectionLimit limit;
  private final BeanProvider<NettyHttpServerConfiguration> codec;
  private final BeanProvider<ConnectionExtension> extensions;
  private final RequestMemory memory = RequestMemory.ofThisProcess();
  private final List<Channel> sockets = new CopyOnWriteArrayList<>();

  /**
   * The open connections, from the moment they are accepted. On a busy machine a connection waits
   * for its event loop before it can be served; it is empty if it was closed before that.
   */
  private final Map<Channel, CompletableFuture<Optional<HttpConnection>>> open =
      new ConcurrentHashMap<>();

  /**
   * Creates the listener. The extensions are looked up on the first connection, because they need
   * beans that are created after the server.
   */
  Connections(
      ListenerSettings settings,
      BeanProvider<NettyHttpServerConfiguration> codec,
      BeanProvider<ConnectionExtension> extensions) {
    this.settings = settings;
    this.limit = settings.connections().limit();
    this.codec = codec;
    this.extensions = extensions;
  }

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    event.getBean().register(customizer());
    return event.getBean();
  }

  NettyServerCustomizer customizer() {
    return new Listening();
  }

  /**
   * Stops accepting connections. Established connections, and connections being established, are
   * served: new ones are filtered out first, then those in progress have time to complete, then the
   * sockets are closed.
   *
   * @param arrival the max time that establishing a connection takes
   */
  public void refuseNewcomers(Duration arrival) throws InterruptedException {
    sockets.forEach(SynDropFilter::attach);
    TimeUnit.NANOSECONDS.sleep(arrival.toNanos());
    sockets.forEach(socket -> socket.close().syncUninterruptibly());
  }

  /**
   * Closes each connection after its last response, or once it has been idle for this long.
   *
   * @return a future that completes when all connections are closed
   */
  public CompletableFuture<Void> endWhenIdle(Duration idle) {
    return CompletableFuture.allOf(
        open.values().stream()
            .map(
                accepted ->
                    accepted.thenCompose(
                        connection ->
                            connection
                                .map(each -> each.endWhenIdle(idle))
                                .orElseGet(() -> CompletableFuture.completedFuture(null))))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Returns the number of open connections. */
  public int count() {
    return open.size();
  }

  /**
   * Specializes for each channel: Micronaut calls it for the listening socket first, then for each
   * connection.
   */
  private final class Listening implements NettyServerCustomizer {
    @Override
    public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
      if (role == ChannelRole.LISTENER) {
        sockets.add(channel);
        channel.pipeline().addFirst(limit, new Accepted());
        return this;
      }
      return new Connected(channel);
    }
  }

  /** Notes each connection that the limit lets in. */
  private final class Accepted extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof Channel channel) {
        CompletableFuture<Optional<HttpConnection>> connection = new CompletableFuture<>();
        open.put(channel, connection);
        channel
            .closeFuture()
            .addListener(
                closed -> {
                  open.remove(channel);
                  connection.complete(Optional.empty());
                });
      }
      context.fireChannelRead(message);
    }
  }

  private final class Connected implements NettyServerCustomizer {
    private final Channel channel;

    Connected(Channel channel) {
      this.channel = channel;
    }

    @Override
    public void onStreamPipelineBuilt() {
      HttpConnection connection = new HttpConnection(channel, settings, sizes(), memory);
      extensions.forEach(each -> each.extend(connection));
      CompletableFuture<Optional<HttpConnection>> accepted = open.get(channel);
      if (accepted != null) {
        accepted.complete(Optional.of(connection));
      }
    }

    /** Returns the sizes that Micronaut allows, and a max number of header fields in addition. */
    private HttpDecoderConfig sizes() {
      NettyHttpServerConfiguration sizes = codec.get();
      return FewHeaders.in(
          new HttpDecoderConfig()
              .setMaxInitialLineLength(sizes.getMaxInitialLineLength())
              .setMaxHeaderSize(sizes.getMaxHeaderSize())
              .setMaxChunkSize(sizes.getMaxChunkSize())
              .setInitialBufferSize(sizes.getInitialBufferSize()));
    }
  }
}
