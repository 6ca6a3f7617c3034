package dev.weir.server.envoy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection of HTTP/2 that floods the server with frames that carry no part of a call:
 * settings, pings, priorities, continuations, empty data and unknown ones. Each costs the server
 * more than its sender. Resets are limited by gRPC itself.
 *
 * <p>Reads the heads of frames only, and passes all bytes on.
 */
final class FrameLimit extends ChannelInboundHandlerAdapter {
  static final int MAX_FRAMES = 1_000;
  static final Duration WINDOW = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(FrameLimit.class);

  private static final int PREFACE_BYTES = 24;
  private static final int HEAD_BYTES = 9;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1;

  /** Bytes up to the head of the next frame. */
  private long bytesToHead = PREFACE_BYTES;

  private int headBytes;
  private int length;
  private int type;
  private int frames;
  private long windowStartNanos;

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof ByteBuf bytes && isFlood(context, bytes)) {
      bytes.release();
      log.debug("Closing {}, because it sends too many frames without a call", context.channel());
      var unused = context.close();
      return;
    }
    context.fireChannelRead(message);
  }

  private boolean isFlood(ChannelHandlerContext context, ByteBuf bytes) {
    int index = bytes.readerIndex();
    while (index < bytes.writerIndex()) {
      if (bytesToHead > 0) {
        int skipped = (int) Math.min(bytesToHead, bytes.writerIndex() - index);
        bytesToHead -= skipped;
        index += skipped;
      } else if (isSurplus(bytes.getUnsignedByte(index)) && isTooMany(context)) {
        return true;
      } else {
        index++;
      }
    }
    return false;
  }

  /**
   * Reads a byte of the head of a frame; returns true at its end if it carries no part of a call.
   */
  private boolean isSurplus(int next) {
    boolean isSurplus = false;
    switch (headBytes) {
      case 0 -> length = next;
      case 1, 2 -> length = (length << 8) | next;
      case 3 -> type = next;
      case 4 -> isSurplus = isSurplus(type, length, next);
      default -> {}
    }
    headBytes++;
    if (headBytes == HEAD_BYTES) {
      headBytes = 0;
      bytesToHead = length;
    }
    return isSurplus;
  }

  private static boolean isSurplus(int type, int length, int flags) {
    return switch (type) {
      case DATA -> length == 0 && (flags & END_STREAM) == 0;
      case HEADERS -> length == 0;
      case RST_STREAM, WINDOW_UPDATE -> false;
      default -> true;
    };
  }

  private boolean isTooMany(ChannelHandlerContext context) {
    long now = context.channel().eventLoop().ticker().nanoTime();
    if (frames == 0 || now - windowStartNanos > WINDOW.toNanos()) {
      windowStartNanos = now;
      frames = 0;
    }
    frames++;
    return frames > MAX_FRAMES;
  }
}
