package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which frames of HTTP/2 are a flood. */
final class FrameLimitTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @BeforeEach
  void connect() {
    channel.freezeTime();
    channel.pipeline().addLast(new FrameLimit());
    send(Unpooled.wrappedBuffer(new byte[24]));
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void send(ByteBuf bytes) {
    channel.writeInbound(bytes);
    channel.releaseInbound();
  }

  static ByteBuf frame(int type, int flags, int length) {
    return Unpooled.buffer()
        .writeMedium(length)
        .writeByte(type)
        .writeByte(flags)
        .writeInt(1)
        .writeZero(length);
  }

  private void closesAfter(int type, int length) {
    for (int i = 0; i < FrameLimit.MAX_FRAMES; i++) {
      send(frame(type, 0, length));
    }
    assertThat(channel.isOpen()).isTrue();
    send(frame(type, 0, length));
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void closesAfterTooManySettings() {
    closesAfter(4, 6);
  }

  @Test
  void closesAfterTooManyPings() {
    closesAfter(6, 8);
  }

  @Test
  void closesAfterTooManyContinuations() {
    closesAfter(9, 1);
  }

  @Test
  void closesAfterTooManyEmptyPiecesOfData() {
    closesAfter(0, 0);
  }

  @Test
  void closesAfterTooManyFramesOfUnknownKinds() {
    closesAfter(200, 3);
  }

  @Test
  void callsAreNoFlood() {
    for (int i = 0; i < 3 * FrameLimit.MAX_FRAMES; i++) {
      send(frame(1, 4, 20));
      send(frame(0, 0, 100));
      send(frame(0, 1, 0));
      send(frame(8, 0, 4));
    }
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void framesFarApartAreNoFlood() {
    for (int i = 0; i < 3 * FrameLimit.MAX_FRAMES; i++) {
      send(frame(6, 0, 8));
      channel.advanceTimeBy(20, TimeUnit.MILLISECONDS);
    }
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void framesMayArriveInPieces() {
    for (int i = 0; i <= FrameLimit.MAX_FRAMES; i++) {
      assertThat(channel.isOpen()).isTrue();
      ByteBuf ping = frame(6, 0, 8);
      while (ping.isReadable() && channel.isOpen()) {
        send(ping.readBytes(1));
      }
      ping.release();
    }
    assertThat(channel.isOpen()).isFalse();
  }
}
