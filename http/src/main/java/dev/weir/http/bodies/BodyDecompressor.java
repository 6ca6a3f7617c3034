package dev.weir.http.bodies;

import dev.weir.internal.Decompressor;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Locale;
import java.util.Objects;
import java.util.function.LongPredicate;
import java.util.zip.DataFormatException;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses request bodies. A corrupt or truncated body raises an error and never completes.
 *
 * <p>A compressed body may expand a thousandfold. Where messages are read one by one, each read
 * therefore delivers one piece, and the connection is read again only when everything received
 * before has been decompressed.
 */
final class BodyDecompressor extends ChannelDuplexHandler {
  static final String NAME = "weir-packed-bodies";

  private static final int PIECE_BYTES = 16 * 1024;

  /** Compressed contents and the messages after them: at most one read of the connection. */
  private final Deque<Object> waiting = new ArrayDeque<>();

  /** Takes memory for bytes that were unpacked; false if the request has been refused. */
  private final LongPredicate memory;

  private @Nullable Decompressor unpacker;

  /** True if the first waiting content has been fed to the decompressor. */
  private boolean isFed;

  /** True if the contents that follow belong to a body that ended with an error. */
  private boolean isBroken;

  /** True if a message was requested and has not been delivered. */
  private boolean isAsked;

  /**
   * True while messages are being delivered: a read requested meanwhile must not deliver
   * recursively.
   */
  private boolean isGiving;

  /** True if delivery of the requested message is scheduled. */
  private boolean isScheduled;

  BodyDecompressor(LongPredicate memory) {
    this.memory = memory;
  }

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
    if (encoding == null || !hasBody(request)) {
      return;
    }
    unpacker = Decompressor.of(encoding.strip().toLowerCase(Locale.ROOT)).orElse(null);
    if (unpacker != null) {
      request.headers().remove(HttpHeaderNames.CONTENT_ENCODING);
      request.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
      request.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
  }

  private static boolean hasBody(HttpRequest request) {
    return HttpUtil.isTransferEncodingChunked(request)
        || HttpUtil.getContentLength(request, 0L) > 0;
  }

  @Override
  public void read(ChannelHandlerContext context) {
    isAsked = true;
    if (waiting.isEmpty()) {
      context.read();
    } else if (!isGiving && !isScheduled) {
      // Like a read of a connection, this never delivers inside the call that requests it.
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
   * Delivers waiting messages while they are requested.
   *
   * @param isReadByItself true if each message is a read of its own and is followed by a
   *     read-complete event
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

  /** Delivers a piece, the end or an error. Returns false if this content yields none. */
  private boolean unpackOne(ChannelHandlerContext context, HttpContent content) {
    Decompressor unpacking = Objects.requireNonNull(unpacker);
    byte[] piece = new byte[PIECE_BYTES];
    int length;
    try {
      if (!isFed) {
        byte[] packed = ByteBufUtil.getBytes(content.content());
        unpacking.feed(packed, packed.length);
        isFed = true;
      }
      length = unpacking.read(piece, 0, piece.length);
      if (length == 0 && content instanceof LastHttpContent && !unpacking.isWhole()) {
        throw new DataFormatException("it is cut short");
      }
    } catch (DataFormatException e) {
      close();
      isBroken = true;
      isAsked = false;
      context.fireExceptionCaught(new BrokenBodyException("The body cannot be decompressed.", e));
      return true;
    }
    if (length > 0 && !memory.test(length)) {
      close();
      isBroken = true;
      return false;
    }
    if (length > 0) {
      isAsked = false;
      context.fireChannelRead(
          new DefaultHttpContent(Unpooled.wrappedBuffer(Arrays.copyOf(piece, length))));
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

  /** Reads again if the bytes read so far delivered nothing, such as a gzip header alone. */
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
