package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import org.junit.jupiter.api.Test;

/** The connection of a viewer. */
final class NowEndpointsTest {
  /** The system may double the size of its buffer, for its own needs. */
  @Test
  void holdsLittleThatIsNotRead() {
    NioSocketChannel channel = new NioSocketChannel();
    try {
      NowEndpoints.boundUnread(channel);
      assertThat(channel.config().getOption(ChannelOption.SO_SNDBUF))
          .isLessThanOrEqualTo(2 * NowEndpoints.MAX_UNREAD);
      assertThat(channel.config().getWriteBufferHighWaterMark()).isEqualTo(NowEndpoints.MAX_UNREAD);
    } finally {
      channel.unsafe().closeForcibly();
    }
  }
}
