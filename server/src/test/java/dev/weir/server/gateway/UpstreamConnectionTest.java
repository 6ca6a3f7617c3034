package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a connection goes back to its pool, read by read. */
final class UpstreamConnectionTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final UpstreamConnection connection = new UpstreamConnection(channel, new Pool());
  private @Nullable UpstreamConnection released;
  private int ended;

  private final class Pool implements UpstreamConnection.Owner {
    @Override
    public void finished() {}

    @Override
    public void release(UpstreamConnection back) {
      released = back;
    }

    @Override
    public void lost(UpstreamConnection closed) {}
  }

  @BeforeEach
  void ask() {
    ResponseDecoder decoder = new ResponseDecoder(GatewaySettings.Bounds.DEFAULT);
    channel.pipeline().addLast(decoder, new RequestEncoder(decoder), connection);
    connection.opened().serve(new Request());
    channel.writeOutbound(new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"));
  }

  @AfterEach
  void end() {
    channel.finishAndReleaseAll();
  }

  /** Releases the connection with the end of the response, as an exchange does. */
  private final class Request implements UpstreamConnection.Served {
    @Override
    public void response(HttpResponse response) {}

    @Override
    public void responseContent(HttpContent piece) {
      piece.release();
      if (piece instanceof LastHttpContent) {
        connection.release();
      }
    }

    @Override
    public void interim(HttpResponse response) {}

    @Override
    public void switchProtocols(HttpResponse response) {}

    @Override
    public void bytesFromUpstream(ByteBuf bytes) {
      bytes.release();
    }

    @Override
    public void released() {
      ended++;
    }

    @Override
    public void unreadable() {}

    @Override
    public void upstreamPaused() {}

    @Override
    public void upstreamWritable() {}

    @Override
    public void upstreamGone(boolean isUntouched) {}
  }

  private void read(String text) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
  }

  /** Ends a read in which the socket had {@code bytes} for a buffer of 100. */
  private void endRead(int bytes) {
    var reads = channel.unsafe().recvBufAllocHandle();
    reads.attemptedBytesRead(100);
    reads.lastBytesRead(bytes);
    channel.pipeline().fireChannelReadComplete();
  }

  @Test
  void isReleasedWhenTheReadIsComplete() {
    read(OK);
    assertThat(released).isNull();
    endRead(40);
    assertThat(released).isSameAs(connection);
    assertThat(connection.isReusable()).isTrue();
  }

  @Test
  void isReleasedOnce() {
    read(OK);
    assertThat(ended).isZero();
    endRead(40);
    released = null;
    endRead(0);
    assertThat(released).isNull();
    assertThat(ended).isOne();
  }

  @Test
  void endsTheRequestAlsoIfItIsClosedBeforeTheReadIsComplete() {
    read(OK);
    var unused = channel.close();
    assertThat(ended).isOne();
    endRead(40);
    assertThat(ended).isOne();
    assertThat(released).isNull();
  }

  @Test
  void isClosedForMoreBytesInTheSameRead() {
    read(OK + "H");
    assertThat(channel.isOpen()).isFalse();
    endRead(40);
    assertThat(connection.isReusable()).isFalse();
  }

  @Test
  void isClosedForMoreBytesInAnotherBufferOfTheSameRead() {
    read(OK);
    read("\r\n");
    assertThat(channel.isOpen()).isFalse();
    endRead(2);
    assertThat(connection.isReusable()).isFalse();
  }

  @Test
  void isClosedForBytesWhileItIsIdle() {
    read(OK);
    endRead(40);
    read("H");
    assertThat(channel.isOpen()).isFalse();
    assertThat(connection.isReusable()).isFalse();
  }

  /** The socket may hold more than the response. */
  @Test
  void isNotReusableAfterAReadThatFilledItsBuffer() {
    read(OK);
    endRead(100);
    assertThat(connection.isReusable()).isFalse();
  }

  @Test
  void isNotReusableWhileARequestIsUnsent() {
    ByteBuf rest = Unpooled.copiedBuffer("the rest", StandardCharsets.US_ASCII);
    channel.unsafe().write(rest, channel.newPromise());
    read(OK);
    endRead(40);
    assertThat(connection.isReusable()).isFalse();
    channel.flush();
    assertThat(connection.isReusable()).isTrue();
  }

  /** As when TLS has to say goodbye first. */
  @Test
  void isNotReusableWhileItCloses() {
    connection.close();
    assertThat(connection.isReusable()).isFalse();
  }
}
