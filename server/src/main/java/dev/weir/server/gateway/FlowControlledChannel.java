package dev.weir.server.gateway;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import java.time.Duration;

/** A channel with backpressure: it is read only as fast as the other side accepts data. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
final class FlowControlledChannel {
  private final Channel channel;
  private boolean isRead = true;
  private boolean isEnded;
  private long pausedSinceNanos;

  FlowControlledChannel(Channel channel) {
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

  /**
   * Writes a piece that was read from another channel, and pauses reading from that channel while
   * this one is not writable.
   */
  void pass(Object piece, FlowControlledChannel from) {
    channel.write(piece);
    if (!channel.isWritable()) {
      channel.flush();
      if (!channel.isWritable()) {
        from.read(false);
      }
    }
  }

  /**
   * Returns true if the other end has taken bytes within this time, and more wait for it. Asks the
   * kernel: its buffer may hold megabytes, and says nothing until a third of them is free.
   */
  boolean isTaking(Duration within) {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    if (unsent == null || unsent.isEmpty() || !(channel instanceof EpollSocketChannel socket)) {
      return false;
    }
    // A retransmission is sent without an answer, and a probe of a closed window is no data.
    EpollTcpInfo tcp = socket.tcpInfo();
    return Math.max(tcp.lastDataSent(), tcp.lastAckRecv()) < within.toMillis();
  }

  /** Starts or pauses reading. */
  void read(boolean isWanted) {
    if (isRead != isWanted) {
      isRead = isWanted;
      pausedSinceNanos = System.nanoTime();
      if (!isEnded) {
        channel.config().setAutoRead(isWanted);
      }
    }
  }

  /** Called when the other end has closed its sending side: Netty fails if it reads behind that. */
  void ended() {
    isEnded = true;
  }

  /** Returns true if reading is not paused. */
  boolean isRead() {
    return isRead;
  }

  /** Returns true if reading has been paused since {@code nanos} or earlier. */
  boolean isPausedSince(long nanos) {
    return !isRead && pausedSinceNanos - nanos <= 0;
  }
}
