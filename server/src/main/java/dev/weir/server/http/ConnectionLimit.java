package dev.weir.server.http;

import dev.weir.TrustedProxies;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections beyond a maximum, in total and per address, before anything is allocated for
 * them. A handler for the listening socket of any port. Thread-safe.
 *
 * <p>An IPv6 address counts as its network of 64 bits, which a single client owns as a whole.
 */
@ChannelHandler.Sharable
public final class ConnectionLimit extends ChannelInboundHandlerAdapter {
  private static final int IPV6_NETWORK_BYTES = 8;

  private final int max;
  private final int maxPerAddress;
  private final TrustedProxies proxies;
  private final AtomicInteger open = new AtomicInteger();

  /** Open connections by address. It has no more entries than there are connections. */
  private final ConcurrentHashMap<Object, Integer> byAddress = new ConcurrentHashMap<>();

  /**
   * Creates a limit without connections.
   *
   * @param proxies addresses that count in total only, because they connect for many clients
   */
  public ConnectionLimit(int max, int maxPerAddress, TrustedProxies proxies) {
    this.max = max;
    this.maxPerAddress = maxPerAddress;
    this.proxies = proxies;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof Channel accepted && !enter(accepted)) {
      accepted.unsafe().closeForcibly();
    } else {
      context.fireChannelRead(message);
    }
  }

  /** Returns true if a connection may stay; it is counted until it is closed. */
  boolean enter(Channel connection) {
    Object address = counted(connection);
    if (open.incrementAndGet() > max) {
      open.decrementAndGet();
      return false;
    }
    if (address != null && byAddress.merge(address, 1, Integer::sum) > maxPerAddress) {
      leave(address);
      return false;
    }
    connection.closeFuture().addListener(closed -> leave(address));
    return true;
  }

  private void leave(@Nullable Object address) {
    open.decrementAndGet();
    if (address != null) {
      byAddress.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }
  }

  /** Returns what a connection is counted by; null if it counts in total only. */
  private @Nullable Object counted(Channel connection) {
    if (!(connection.remoteAddress() instanceof InetSocketAddress remote)
        || remote.getAddress() == null
        || proxies.isTrusted(remote.getAddress().getHostAddress())) {
      return null;
    }
    InetAddress address = remote.getAddress();
    return address instanceof Inet6Address
        ? ByteBuffer.wrap(address.getAddress(), 0, IPV6_NETWORK_BYTES)
        : address;
  }

  /** Returns the number of open connections. */
  public int count() {
    return open.get();
  }
}
