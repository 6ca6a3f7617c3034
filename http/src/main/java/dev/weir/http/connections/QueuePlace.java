package dev.weir.http.connections;

import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.AttributeKey;

/**
 * The mark of a connection whose request holds a place in a queue. Its client has left if it closes
 * its sending side: a half-closed connection cannot be told from a closed one, and the place is
 * wanted by others. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
public final class QueuePlace {
  private static final AttributeKey<Boolean> KEY = AttributeKey.valueOf(QueuePlace.class, "isHeld");

  private QueuePlace() {}

  /** Marks the request of this connection. Closes the connection if its client has left. */
  public static void hold(Channel channel) {
    channel.attr(KEY).set(true);
    if (channel instanceof DuplexChannel duplex && duplex.isInputShutdown()) {
      channel.close();
    }
  }

  /** Ends what {@link #hold} began. */
  public static void leave(Channel channel) {
    channel.attr(KEY).set(null);
  }

  static boolean isHeld(Channel channel) {
    return channel.attr(KEY).get() != null;
  }
}
