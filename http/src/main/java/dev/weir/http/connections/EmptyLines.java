package dev.weir.http.connections;

import io.netty.buffer.ByteBuf;

/**
 * Empty lines in front of a request, such as those that some clients send behind a body (RFC 9112,
 * 2.2). They are no part of the next request: a client that has sent nothing else is idle.
 */
public final class EmptyLines {
  private EmptyLines() {}

  /** Skips them; returns true if something follows. */
  public static boolean skip(ByteBuf bytes) {
    int end = bytes.forEachByte(b -> b == '\r' || b == '\n');
    bytes.readerIndex(end < 0 ? bytes.writerIndex() : end);
    return end >= 0;
  }
}
