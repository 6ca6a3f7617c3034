package dev.weir.http.connections;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.TrustedProxies;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which connections are idle or too slow, and what their requests hold. */
final class HttpConnectionTest {
  private static final long MEMORY = 8_000_000;
  private static final String HEAD = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n";

  private static final String STREAM =
      """
      POST / HTTP/1.1\r
      Host: a\r
      Content-Type: application/x-ndjson\r
      Content-Length: 9000000\r
      \r
      """;

  private static final ListenerSettings SETTINGS =
      new ListenerSettings(
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          100,
          new ListenerSettings.Connections(10, 10, TrustedProxies.NONE));

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final RequestMemory memory = new RequestMemory(MEMORY);
  private final AtomicInteger idle = new AtomicInteger();

  @BeforeEach
  void open() {
    channel.freezeTime();
    channel
        .pipeline()
        .addLast(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, new HttpServerCodec());
    assertThat(new HttpConnection(channel, SETTINGS, new HttpDecoderConfig(), memory).owesOne())
        .isFalse();
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

  private void advance(long seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }

  private void respond() {
    channel.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    sent();
  }

  /** Returns what was sent to the client since the last call. */
  private String sent() {
    StringBuilder text = new StringBuilder();
    ByteBuf next = channel.readOutbound();
    while (next != null) {
      text.append(next.toString(StandardCharsets.US_ASCII));
      next.release();
      next = channel.readOutbound();
    }
    return text.toString();
  }

  @Test
  void headThatTakesTooLongIsRefusedHoweverOftenAByteOfItArrives() {
    for (int i = 0; i < 9; i++) {
      send("GET / HTTP/1.1\r\n".substring(i, i + 1));
      advance(1);
    }
    assertThat(channel.isOpen()).isTrue();
    advance(1);
    assertThat(sent()).startsWith("HTTP/1.1 408 ");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void emptyLinesBehindARequestAreNoHead() {
    send(HEAD + "body\r\n");
    send("\r\n".repeat(1_000));
    respond();
    send("\r\n");
    assertThat(memory.freeBytes()).isEqualTo(MEMORY);
    advance(100);
    assertThat(sent()).isEmpty();
    assertThat(channel.isOpen()).isTrue();
    send("\r\n" + HEAD + "body");
    assertThat(decoded()).isEqualTo(2);
    send("\r\n");
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    respond();
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void headOfASecondRequestHasItsTimeFromTheResponseToTheFirst() {
    send(HEAD + "body");
    send("GET / ");
    advance(100);
    assertThat(channel.isOpen()).isTrue();
    respond();
    advance(9);
    send("HTTP/1.1\r\nHost: a\r\n\r\n");
    advance(100);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void bodyMayTakeAnyTimeAtTheMinRate() {
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    for (int i = 0; i < 100; i++) {
      send("x".repeat(100));
      advance(1);
    }
    assertThat(channel.isOpen()).isTrue();
    for (int i = 0; i < 70 && channel.isOpen(); i++) {
      send("x");
      advance(1);
    }
    assertThat(sent()).startsWith("HTTP/1.1 408 ");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void timeInWhichABodyIsNotReadDoesNotCount() {
    channel.config().setAutoRead(false);
    send(HEAD + "b");
    advance(1_000);
    channel.read();
    advance(9);
    assertThat(channel.isOpen()).isTrue();
    advance(20);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void bodyWhoseResponseHasBegunMayPause() {
    send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    channel.writeOutbound(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    advance(1_000);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void requestsHoldMemoryUntilTheirResponses() {
    send("GET / HTTP/1.1\r\nHost");
    assertThat(memory.freeBytes()).isLessThan(MEMORY);
    send(": a\r\n\r\n");
    assertThat(memory.freeBytes()).isLessThan(MEMORY);
    respond();
    assertThat(memory.freeBytes()).isEqualTo(MEMORY);
    send(HEAD + "bo");
    assertThat(memory.freeBytes()).isLessThan(MEMORY);
    channel.close().syncUninterruptibly();
    assertThat(memory.freeBytes()).isEqualTo(MEMORY);
  }

  @Test
  void requestThatTakesMoreThanItsShareOfMemoryIsRefused() {
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n");
    for (int i = 0; i < 8; i++) {
      assertThat(channel.isOpen()).isTrue();
      send("x".repeat(100_000));
    }
    send("x".repeat(100_000));
    assertThat(sent()).startsWith("HTTP/1.1 503 ");
    assertThat(channel.isOpen()).isFalse();
    assertThat(memory.freeBytes()).isEqualTo(MEMORY);
  }

  @Test
  void bodyThatIsUnpackedHoldsTheMemoryOfItsBytes() {
    send(HEAD + "gzip");
    long packed = MEMORY - memory.freeBytes();
    assertThat(UnpackedBytes.take(channel, 500_000)).isTrue();
    assertThat(MEMORY - memory.freeBytes()).isBetween(packed + 500_000L, packed + 501_000L);
    assertThat(UnpackedBytes.take(channel, 500_000)).isFalse();
    assertThat(sent()).startsWith("HTTP/1.1 503 ");
    assertThat(channel.isOpen()).isFalse();
    assertThat(memory.freeBytes()).isEqualTo(MEMORY);
  }

  @Test
  void clientThatClosesItsSendingSideGetsTheEndOfItsResponse() {
    BusySocket socket = new BusySocket();
    channel.pipeline().addFirst(socket);
    send(HEAD + "body");
    channel.writeOneOutbound(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    channel.flushOutbound();
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    assertThat(channel.isOpen()).isTrue();
    socket.takeAll();
    assertThat(sent()).startsWith("HTTP/1.1 200 ");
    assertThat(channel.isOpen()).isFalse();
  }

  /** Takes what is written later. */
  private static final class BusySocket extends ChannelOutboundHandlerAdapter {
    private final Deque<Runnable> writes = new ArrayDeque<>();

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      writes.add(() -> context.writeAndFlush(message, promise));
    }

    void takeAll() {
      while (!writes.isEmpty()) {
        writes.remove().run();
      }
    }
  }

  @Test
  void streamOfLinesHoldsTheSameMemoryHoweverMuchWasRead() {
    send(STREAM);
    long held = MEMORY - memory.freeBytes();
    assertThat(held)
        .isBetween((long) RequestMemory.STREAM_BYTES, RequestMemory.STREAM_BYTES + 1_000L);
    for (int i = 0; i < 80; i++) {
      send("x".repeat(100_000));
    }
    assertThat(channel.isOpen()).isTrue();
    assertThat(MEMORY - memory.freeBytes()).isEqualTo(held);
    // Neither does it end when others take memory: it is worked on already.
    long others = 0;
    while (memory.take(0, 500_000)) {
      others += 500_000;
    }
    send("x".repeat(100_000));
    assertThat(channel.isOpen()).isTrue();
    assertThat(MEMORY - memory.freeBytes()).isEqualTo(held + others);
  }

  @Test
  void streamForWhichThereIsNoMemoryIsRefusedBeforeItIsWorkedOn() {
    assertThat(memory.take(0, 880_000)).isTrue();
    assertThat(memory.take(0, 780_000)).isTrue();
    send(STREAM + "a line\n");
    assertThat(sent()).startsWith("HTTP/1.1 503 ");
    assertThat(decoded()).isZero();
    assertThat(channel.isOpen()).isFalse();
    assertThat(memory.freeBytes()).isEqualTo(MEMORY - 880_000 - 780_000);
  }

  @Test
  void requestIsDecodedWhenTheOneBeforeItIsAnswered() {
    send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3) + "GET /2");
    assertThat(decoded()).isOne();
    long held = MEMORY - memory.freeBytes();
    assertThat(held).isPositive();
    respond();
    assertThat(decoded()).isOne();
    respond();
    assertThat(decoded()).isOne();
    respond();
    assertThat(decoded()).isZero();
    assertThat(memory.freeBytes()).isLessThan(MEMORY);
    advance(11);
    assertThat(sent()).startsWith("HTTP/1.1 408 ");
    channel.close().syncUninterruptibly();
    assertThat(memory.freeBytes()).isEqualTo(MEMORY);
  }

  @Test
  void bytesBehindARequestHoldMemoryUntilTheyAreDecoded() {
    send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
    send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_000));
    assertThat(MEMORY - memory.freeBytes()).isBetween(27_000L, 40_000L);
    for (int i = 0; i < 500; i++) {
      respond();
    }
    assertThat(MEMORY - memory.freeBytes()).isBetween(13_000L, 20_000L);
    for (int i = 0; i < 501; i++) {
      respond();
    }
    assertThat(memory.freeBytes()).isEqualTo(MEMORY);
  }

  /** Returns the number of requests that were decoded since the last call. */
  private int decoded() {
    int requests = 0;
    for (Object next = channel.readInbound(); next != null; next = channel.readInbound()) {
      requests += next instanceof HttpRequest ? 1 : 0;
      ReferenceCountUtil.release(next);
    }
    return requests;
  }
}
