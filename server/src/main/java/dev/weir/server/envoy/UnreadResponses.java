package dev.weir.server.envoy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Reads nothing more from a client that does not read its responses. They would otherwise fill the
 * memory: a call that fails ends its stream, so the max number of calls does not bound them.
 */
final class UnreadResponses extends ChannelInboundHandlerAdapter {
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    context.channel().config().setAutoRead(context.channel().isWritable());
    context.fireChannelWritabilityChanged();
  }
}
