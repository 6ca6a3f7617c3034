package dev.weir.server.gateway;

import io.netty.channel.Channel;

/** A connection as something that takes and gives pieces, each as fast as the other side does. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's; a connection that fails is closed by it.
final class Wire {
  private final Channel channel;
  private long pausedSinceNanos;

  Wire(Channel channel) {
    this.channel = channel;
  }

  void write(Object message) {
    channel.write(message);
  }

  void flush() {
    channel.flush();
  }

  boolean isWritable() {
    return channel.isWritable();
  }

  /** Writes what came by another wire, which is not read on while this one takes no more. */
  void pass(Object piece, Wire from) {
    channel.write(piece);
    if (!channel.isWritable()) {
      channel.flush();
      if (!channel.isWritable()) {
        from.read(false);
      }
    }
  }

  /** Whether more is to be read. */
  void read(boolean isWanted) {
    if (channel.config().isAutoRead() != isWanted) {
      pausedSinceNanos = System.nanoTime();
      channel.config().setAutoRead(isWanted);
    }
  }

  /** Returns true if it is read from. */
  boolean isRead() {
    return channel.config().isAutoRead();
  }

  /** Returns true if it has not been read from since then. */
  boolean isPausedSince(long nanos) {
    return !channel.config().isAutoRead() && pausedSinceNanos - nanos <= 0;
  }
}
