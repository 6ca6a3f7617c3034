package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.IdleStateEvent;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which silent connections are idle, so that the server closes them. */
final class HttpConnectionTest {
  private static final String HEAD = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n";

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final AtomicInteger idle = new AtomicInteger();

  @BeforeEach
  void open() {
    channel
        .pipeline()
        .addLast(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, new HttpServerCodec());
    assertThat(new HttpConnection(channel).owesOne()).isFalse();
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void userEventTriggered(ChannelHandlerContext context, Object event) {
                idle.incrementAndGet();
              }
            });
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void send(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
  }

  private boolean isIdle() {
    int before = idle.get();
    channel.pipeline().fireUserEventTriggered(IdleStateEvent.ALL_IDLE_STATE_EVENT);
    return idle.get() > before;
  }

  @Test
  void clientThatWaitsForItsResponseIsNotIdle() {
    assertThat(isIdle()).isTrue();
    send(HEAD + "body");
    assertThat(isIdle()).isFalse();
    channel.writeOutbound(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    assertThat(isIdle()).isFalse();
    channel.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    assertThat(isIdle()).isTrue();
  }

  @Test
  void clientThatDoesNotSendTheRestOfItsBodyIsIdle() {
    send(HEAD + "bo");
    assertThat(isIdle()).isTrue();
  }

  @Test
  void clientWhoseBodyIsNotReadIsNotIdle() {
    channel.config().setAutoRead(false);
    send(HEAD + "bo");
    assertThat(isIdle()).isFalse();
    channel.read();
    assertThat(isIdle()).isTrue();
  }
}
