package dev.weir.server.gateway;

import dev.weir.routes.internal.Upstream;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens connections from an event loop to one upstream. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
final class Connector {
  private static final Logger log = LoggerFactory.getLogger(Connector.class);

  private final EventLoop eventLoop;
  private final GatewayContext shared;
  private final Upstream upstream;

  Connector(EventLoop eventLoop, GatewayContext shared, Upstream upstream) {
    this.eventLoop = eventLoop;
    this.shared = shared;
    this.upstream = upstream;
  }

  /** Receives the result of a connection attempt. */
  interface Listener {
    void connected(Channel channel);

    void failed(Throwable cause);
  }

  GatewaySettings settings() {
    return shared.settings();
  }

  Upstream upstream() {
    return upstream;
  }

  /**
   * Opens a connection and reports the result to {@code listener}.
   *
   * @param pipeline adds the handlers that talk to the upstream
   */
  void connect(Consumer<Channel> pipeline, Listener listener) {
    InetAddress literal = literal(upstream.host());
    if (literal != null) {
      connect(List.of(literal), 0, pipeline, listener);
      return;
    }
    // Look up the name for each connection, as Java caches it for a while. A lookup may block.
    shared.await(
        () -> {
          try {
            List<InetAddress> found = List.of(InetAddress.getAllByName(upstream.host()));
            eventLoop.execute(() -> connect(found, 0, pipeline, listener));
          } catch (UnknownHostException e) {
            eventLoop.execute(() -> listener.failed(e));
          }
        });
  }

  private static @Nullable InetAddress literal(String host) {
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
    try {
      return bytes == null ? null : InetAddress.getByAddress(host, bytes);
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Tries the addresses in order until one connects. */
  private void connect(
      List<InetAddress> addresses, int next, Consumer<Channel> pipeline, Listener listener) {
    Bootstrap bootstrap = shared.bootstrap().clone(eventLoop);
    bootstrap.handler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            if (upstream.protocol().isEncrypted()) {
              channel.pipeline().addLast(encryption(channel));
            }
            pipeline.accept(channel);
          }
        });
    bootstrap
        .connect(new InetSocketAddress(addresses.get(next), upstream.port()))
        .addListener(
            (ChannelFuture connecting) -> {
              if (connecting.isSuccess()) {
                secured(connecting.channel(), listener);
              } else if (next + 1 < addresses.size()) {
                connect(addresses, next + 1, pipeline, listener);
              } else {
                listener.failed(connecting.cause());
              }
            });
  }

  private SslHandler encryption(Channel channel) {
    SslHandler handler =
        shared
            .encryption(upstream.protocol().isMultiplexed())
            .newHandler(channel.alloc(), upstream.host(), upstream.port());
    SSLParameters parameters = handler.engine().getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    handler.engine().setSSLParameters(parameters);
    handler.setHandshakeTimeoutMillis(shared.settings().times().connect().toMillis());
    return handler;
  }

  private void secured(Channel channel, Listener listener) {
    SslHandler encryption = channel.pipeline().get(SslHandler.class);
    if (encryption == null) {
      listener.connected(channel);
      return;
    }
    encryption
        .handshakeFuture()
        .addListener(
            shaken -> {
              if (!shaken.isSuccess()) {
                log.warn("TLS with {} failed: {}", upstream.authority(), reason(shaken.cause()));
                listener.failed(shaken.cause());
              } else if (upstream.protocol().isMultiplexed()
                  && !ApplicationProtocolNames.HTTP_2.equals(encryption.applicationProtocol())) {
                channel.close();
                listener.failed(new IOException("the upstream does not speak HTTP/2"));
              } else {
                listener.connected(channel);
              }
            });
  }

  /** Returns the message of the first cause: those around it only say that the handshake failed. */
  private static String reason(Throwable cause) {
    Throwable first = cause;
    while (first.getCause() != null) {
      first = first.getCause();
    }
    return first.toString();
  }
}
