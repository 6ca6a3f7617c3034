package dev.weir.http.bodies;

import dev.weir.http.connections.UnpackedBytes;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import jakarta.inject.Singleton;

/**
 * Raises an error for a body with invalid chunks or invalid compressed data. Netty's decoders end
 * such a body as if it were complete, and Micronaut would accept it.
 */
@Singleton
final class BrokenBodies implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {
  private static final String NAME = "weir-broken-bodies";

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    event.getBean().register(new Listening());
    return event.getBean();
  }

  /**
   * Specializes for each channel: Micronaut calls it for the listening socket first, then for each
   * connection.
   */
  private static final class Listening implements NettyServerCustomizer {
    @Override
    public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
      return role == ChannelRole.LISTENER ? this : new Connected(channel);
    }
  }

  private record Connected(Channel channel) implements NettyServerCustomizer {
    @Override
    public void onStreamPipelineBuilt() {
      channel
          .pipeline()
          .addAfter(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, NAME, new Watch())
          .addBefore(
              ChannelPipelineCustomizer.HANDLER_MICRONAUT_INBOUND,
              BodyDecompressor.NAME,
              new BodyDecompressor(bytes -> UnpackedBytes.take(channel, bytes)));
    }
  }

  private static final class Watch extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      // A request with an invalid head is answered elsewhere.
      if (message instanceof HttpContent content
          && !(message instanceof HttpRequest)
          && content.decoderResult().isFailure()) {
        content.release();
        context.fireExceptionCaught(
            new BrokenBodyException(
                "The body is not chunked correctly.", content.decoderResult().cause()));
      } else {
        context.fireChannelRead(message);
      }
    }
  }
}
