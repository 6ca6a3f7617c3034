package dev.weir.http.connections;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection without losing its last response.
 *
 * <p>Closing a socket with unread bytes resets the connection, and a reset destroys a response that
 * the client has not read yet. A close therefore sends what has been written, shuts down the
 * output, then reads on for a moment until the client has closed too (RFC 9112, 9.6). Confined to
 * the event loop of the connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
final class LingeringClose extends ChannelDuplexHandler {
  /** Max time for a client to close its side. */
  private static final long LINGER_MILLIS = 1_000;

  /** Max time for a client to take what has been written. */
  private static final long SEND_MILLIS = 10_000;

  private boolean hasBegun;

  /** Returns true if everything has been said, and what still arrives is of no use. */
  boolean hasBegun() {
    return hasBegun;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.fireChannelReadComplete();
    if (hasBegun) {
      context.read();
    }
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    if (hasBegun
        || !context.channel().isActive()
        || !(context.channel() instanceof DuplexChannel duplex)
        || duplex.isInputShutdown()) {
      context.close(promise);
      return;
    }
    hasBegun = true;
    var late =
        duplex
            .eventLoop()
            .schedule(() -> context.close(promise), SEND_MILLIS, TimeUnit.MILLISECONDS);
    context
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            sent -> {
              late.cancel(false);
              shutDown(context, duplex, promise);
            });
  }

  private static void shutDown(
      ChannelHandlerContext context, DuplexChannel duplex, ChannelPromise promise) {
    if (!duplex.isActive()) {
      if (!promise.isDone()) {
        context.close(promise);
      }
      return;
    }
    duplex.shutdownOutput();
    // The channel closes when the client closes its side; this timer then has no effect.
    duplex.eventLoop().schedule(() -> context.close(promise), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    context.read();
  }
}
