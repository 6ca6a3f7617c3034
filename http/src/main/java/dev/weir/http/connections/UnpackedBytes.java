package dev.weir.http.connections;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.function.LongPredicate;

/**
 * The bytes that are unpacked from a compressed body. They stay in memory until the response like
 * those that arrive, and may be a thousand times as many. Confined to the event loop of the
 * connection.
 */
public final class UnpackedBytes {
  private static final AttributeKey<LongPredicate> KEY =
      AttributeKey.valueOf(UnpackedBytes.class, "memory");

  private UnpackedBytes() {}

  /** Sets what counts the bytes of a connection. */
  static void count(Channel channel, LongPredicate memory) {
    channel.attr(KEY).set(memory);
  }

  /**
   * Takes memory for bytes of the current request. Returns false if they are too many; the request
   * has been refused then, and no more of it is to be unpacked. Call it on the event loop.
   */
  public static boolean take(Channel channel, long bytes) {
    LongPredicate memory = channel.attr(KEY).get();
    return memory == null || memory.test(bytes);
  }
}
