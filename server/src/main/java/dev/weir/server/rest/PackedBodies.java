package dev.weir.server.rest;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.Locale;
import java.util.zip.DataFormatException;
import org.jspecify.annotations.Nullable;

/** Unpacks the bodies of requests; one that is broken or cut short is an error, and never ends. */
final class PackedBodies extends ChannelInboundHandlerAdapter {
  static final String NAME = "weir-packed-bodies";

  private @Nullable Unpacker unpacker;

  /** What follows belongs to a body of which the end was an error. */
  private boolean isBroken;

  /** Whether whoever asked for a message has been given one. */
  private boolean isGiven;

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request) {
      isBroken = false;
      begin(request);
    }
    if (message instanceof HttpContent content && (unpacker != null || isBroken)) {
      try {
        unpack(context, content);
      } finally {
        ReferenceCountUtil.release(message);
      }
    } else {
      isGiven = true;
      context.fireChannelRead(message);
    }
  }

  private void begin(HttpRequest request) {
    close();
    String encoding = request.headers().get(HttpHeaderNames.CONTENT_ENCODING);
    if (encoding == null) {
      return;
    }
    unpacker = Unpacker.of(encoding.strip().toLowerCase(Locale.ROOT)).orElse(null);
    if (unpacker != null) {
      request.headers().remove(HttpHeaderNames.CONTENT_ENCODING);
      request.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
      request.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
  }

  private void unpack(ChannelHandlerContext context, HttpContent content) {
    Unpacker unpacking = unpacker;
    if (unpacking == null) {
      return;
    }
    try {
      unpacking.unpack(
          ByteBufUtil.getBytes(content.content()),
          bytes -> {
            isGiven = true;
            context.fireChannelRead(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)));
          });
      if (content instanceof LastHttpContent) {
        if (!unpacking.isWhole()) {
          throw new DataFormatException("it is cut short");
        }
        close();
        isGiven = true;
        context.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
      }
    } catch (DataFormatException e) {
      close();
      isBroken = true;
      isGiven = true;
      context.fireExceptionCaught(
          new BrokenBodies.BrokenBodyException("The body cannot be unpacked.", e));
    }
  }

  private void close() {
    if (unpacker != null) {
      unpacker.close();
      unpacker = null;
    }
  }

  /** Bytes of a header alone give nothing to whoever asked. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    boolean isOwed = !isGiven;
    isGiven = false;
    context.fireChannelReadComplete();
    if (isOwed && !context.channel().config().isAutoRead()) {
      context.read();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    close();
  }
}
