package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a request has begun to arrive. */
final class RequestDecoderTest {
  private final AtomicInteger begun = new AtomicInteger();
  private final RequestDecoder decoder =
      new RequestDecoder(
          GatewaySettings.Bounds.DEFAULT,
          new RequestDecoder.Turns() {
            @Override
            public boolean isTurn() {
              return true;
            }

            @Override
            public void begun() {
              begun.incrementAndGet();
            }

            @Override
            public void early() {
              throw new AssertionError("it is always the turn of the next request");
            }
          });
  private final EmbeddedChannel channel = new EmbeddedChannel(decoder);

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void send(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
  }

  /** The time-out of the head would end a connection that is idle, and begins with the request. */
  @Test
  void emptyLinesAreNoBeginningOfARequest() {
    send("\r\n".repeat(1_000));
    send("\n");
    assertThat(begun).hasValue(0);
    assertThat(decoder.begunBytes()).isZero();
    assertThat(decoder.isHolding()).isFalse();
    send("\r\nG");
    assertThat(begun).hasPositiveValue();
    assertThat(decoder.begunBytes()).isOne();
    send("ET / HTTP/1.1\r\n\r\n");
    assertThat(channel.<HttpRequest>readInbound().uri()).isEqualTo("/");
  }
}
