package dev.weir.http.connections;

import io.netty.buffer.ByteBuf;

/** Copies mostly empty buffers, for bytes that are kept. */
public final class CompactBuffer {
  private CompactBuffer() {}

  /**
   * Returns the bytes in a buffer of their size: a client that sends single bytes would otherwise
   * keep a whole read buffer for each. Takes ownership of the given buffer.
   */
  public static ByteBuf of(ByteBuf bytes) {
    if (bytes.readableBytes() * 4L > bytes.capacity() * 3L) {
      return bytes;
    }
    ByteBuf copy = bytes.alloc().buffer(bytes.readableBytes()).writeBytes(bytes);
    bytes.release();
    return copy;
  }
}
