package dev.weir.server.http;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Objects;
import java.util.zip.DataFormatException;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks the bodies of requests; one that is broken or cut short is an error, and never ends.
 *
 * <p>A few packed bytes may unpack to a thousand times as many. So where messages are asked for one
 * by one, each is answered by a piece, and the connection is read again only when all that came
 * before is unpacked.
 */
final class BodyDecompressor extends ChannelDuplexHandler {
  static final String NAME = "weir-packed-bodies";

  /** Packed contents and what came behind them: not more than one read of the connection. */
  private final Deque<Object> waiting = new ArrayDeque<>();

  private @Nullable Decompressor unpacker;

  /** Whether the first that waits has been fed to the unpacker. */
  private boolean isFed;

  /** What follows belongs to a body of which the end was an error. */
  private boolean isBroken;

  /** Whether a message was asked for that has not been given. */
  private boolean isAsked;

  /** Whether messages are being given, so that asking for the next one must not give it inside. */
  private boolean isGiving;

  /** Whether it is going to be given what was asked for. */
  private boolean isScheduled;

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (waiting.isEmpty() && !isPacked(message)) {
      pass(context, message);
      return;
    }
    waiting.add(message);
    if (!isGiving) {
      give(context, false);
    }
  }

  private boolean isPacked(Object message) {
    return message instanceof HttpContent && (unpacker != null || isBroken);
  }

  private void pass(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request) {
      isBroken = false;
      begin(request);
    }
    isAsked = false;
    context.fireChannelRead(message);
  }

  private void begin(HttpRequest request) {
    close();
    String encoding = request.headers().get(HttpHeaderNames.CONTENT_ENCODING);
    if (encoding == null) {
      return;
    }
    unpacker = Decompressor.of(encoding.strip().toLowerCase(Locale.ROOT)).orElse(null);
    if (unpacker != null) {
      request.headers().remove(HttpHeaderNames.CONTENT_ENCODING);
      request.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
      request.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
  }

  @Override
  public void read(ChannelHandlerContext context) {
    isAsked = true;
    if (waiting.isEmpty()) {
      context.read();
    } else if (!isGiving && !isScheduled) {
      // As a connection is read: never inside the call that asks for it.
      isScheduled = true;
      context.executor().execute(() -> giveLater(context));
    }
  }

  private void giveLater(ChannelHandlerContext context) {
    isScheduled = false;
    give(context, true);
    if (isAsked && waiting.isEmpty()) {
      context.read();
    }
  }

  /**
   * Gives what waits, as long as it is asked for.
   *
   * @param isReadByItself whether each message is a read of its own, which is complete after it
   */
  private void give(ChannelHandlerContext context, boolean isReadByItself) {
    isGiving = true;
    try {
      for (Object first = waiting.peek(); first != null; first = waiting.peek()) {
        boolean isGiven = true;
        if (!isPacked(first)) {
          waiting.remove();
          pass(context, first);
        } else if (isBroken) {
          ReferenceCountUtil.release(waiting.remove());
          isGiven = false;
        } else if (isAsked || context.channel().config().isAutoRead()) {
          isGiven = unpackOne(context, (HttpContent) first);
        } else {
          return;
        }
        if (isGiven && isReadByItself) {
          context.fireChannelReadComplete();
        }
      }
    } finally {
      isGiving = false;
    }
  }

  /** Gives a piece, the end or an error; returns false if there is none in this content. */
  private boolean unpackOne(ChannelHandlerContext context, HttpContent content) {
    Decompressor unpacking = Objects.requireNonNull(unpacker);
    byte @Nullable [] piece;
    try {
      if (!isFed) {
        unpacking.feed(ByteBufUtil.getBytes(content.content()));
        isFed = true;
      }
      piece = unpacking.next();
      if (piece == null && content instanceof LastHttpContent && !unpacking.isWhole()) {
        throw new DataFormatException("it is cut short");
      }
    } catch (DataFormatException e) {
      close();
      isBroken = true;
      isAsked = false;
      context.fireExceptionCaught(new BrokenBodyException("The body cannot be unpacked.", e));
      return true;
    }
    if (piece != null) {
      isAsked = false;
      context.fireChannelRead(new DefaultHttpContent(Unpooled.wrappedBuffer(piece)));
      return true;
    }
    ReferenceCountUtil.release(waiting.remove());
    isFed = false;
    if (content instanceof LastHttpContent) {
      close();
      isAsked = false;
      context.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
      return true;
    }
    return false;
  }

  private void close() {
    isFed = false;
    if (unpacker != null) {
      unpacker.close();
      unpacker = null;
    }
  }

  /** Bytes of a header alone give nothing to the one that asked. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.fireChannelReadComplete();
    if (isAsked && waiting.isEmpty() && !context.channel().config().isAutoRead()) {
      context.read();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    close();
    waiting.forEach(ReferenceCountUtil::release);
    waiting.clear();
  }
}
