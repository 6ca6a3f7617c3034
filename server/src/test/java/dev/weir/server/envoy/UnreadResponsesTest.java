package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

final class UnreadResponsesTest {
  /** Stands in for a client that reads or does not: flushes nothing while it does not. */
  private static final class Client extends ChannelOutboundHandlerAdapter {
    boolean isReading;

    @Override
    public void flush(ChannelHandlerContext context) {
      if (isReading) {
        context.flush();
      }
    }
  }

  @Test
  void readsOnOnlyWhenTheClientHasReadItsResponses() {
    Client client = new Client();
    EmbeddedChannel channel = new EmbeddedChannel(client, new UnreadResponses());
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(100, 1000));
    while (channel.isWritable()) {
      assertThat(channel.config().isAutoRead()).isTrue();
      var unused = channel.write(Unpooled.wrappedBuffer(new byte[100]));
    }
    channel.runPendingTasks();
    assertThat(channel.config().isAutoRead()).isFalse();

    client.isReading = true;
    channel.flush();
    channel.runPendingTasks();
    assertThat(channel.config().isAutoRead()).isTrue();
    channel.finishAndReleaseAll();
  }
}
