package dev.weir.http.connections;

import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: serves one request at a time and tracks its response.
 *
 * <p>A next request is decoded when the response to the one before is complete and the client takes
 * it. Meanwhile nothing more is read than one buffer. Otherwise a client that sends requests and
 * reads nothing would fill the memory with responses.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
public final class HttpConnection {
  private static final Logger log = LoggerFactory.getLogger(HttpConnection.class);

  private static final String BYTES = "weir-bytes";
  private static final String CLOSE = "weir-close";
  private static final String MESSAGES = "weir-messages";

  /** Interval at which a connection with a pending response is checked again. */
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Channel channel;
  private final ConnectionMemory memory;
  private final ArrivalTime arrival;
  private final TurnCodec codec;
  private final LingeringClose closing = new LingeringClose();

  // The fields below are confined to the channel's event loop.
  private int unanswered;
  private int responsesNotBegun;
  private boolean isBodyOpen;
  private boolean isReading;

  /** Whether bytes are passed to the codec just now. */
  private boolean isFeeding;

  /** Whether the codec will be asked for the next request. */
  private boolean isNextScheduled;

  /** Whether to read on when the bytes that wait for their turn are decoded. */
  private boolean isReadWanted;

  /** Whether the client has closed its sending side, and waits for responses. */
  private boolean isInputClosed;

  private long activeNanos;
  private boolean isWatched;

  /** Whether the body in progress is read line by line, and so does not stay in memory. */
  private boolean isStream;

  /** Starts to watch a connection whose pipeline has been built. */
  HttpConnection(
      Channel channel, ListenerSettings settings, HttpDecoderConfig sizes, RequestMemory memory) {
    this.channel = channel;
    this.activeNanos = now();
    this.memory = new ConnectionMemory(memory);
    this.arrival = new ArrivalTime(settings);
    this.codec = new TurnCodec(sizes, this::isTurn);
    UnpackedBytes.count(channel, this::unpacked);
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    channel
        .pipeline()
        .addFirst(BYTES, new Bytes())
        .addAfter(BYTES, CLOSE, closing)
        .replace(
            ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC,
            ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC,
            codec);
    channel
        .pipeline()
        .addAfter(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, MESSAGES, new Messages());
  }

  /** Adds a handler that sees requests before the router does. */
  public void add(String name, ChannelHandler handler) {
    channel.pipeline().addAfter(MESSAGES, name, handler);
  }

  /** Counts bytes of {@link UnpackedBytes}: those of a stream, or after a response, do not stay. */
  private boolean unpacked(long bytes) {
    if (unanswered == 0 || isStream || memory.takeBody(bytes)) {
      return true;
    }
    refuse(Refusal.NO_MEMORY, responsesNotBegun == 1 && unanswered == 1);
    return false;
  }

  /** Returns true if the last request read is the only one without a response. */
  public boolean owesOne() {
    return unanswered == 1;
  }

  /**
   * Closes the connection once it has no pending response and has been idle for this long from now.
   */
  CompletableFuture<Void> endWhenIdle(Duration idle) {
    channel
        .eventLoop()
        .execute(
            () -> {
              activeNanos = now();
              look(idle.toNanos());
            });
    CompletableFuture<Void> ended = new CompletableFuture<>();
    channel.closeFuture().addListener(closed -> ended.complete(null));
    return ended;
  }

  /**
   * Closes the connection if it is idle, or checks again later. Always called by the timer, before
   * which the event loop reads all bytes that have arrived: a request can be missed only if it
   * arrives in the few microseconds between.
   */
  private void look(long idleNanos) {
    if (!channel.isActive() || closing.hasBegun()) {
      return;
    }
    long idleForNanos = now() - activeNanos;
    long laterNanos = isBusy() ? LOOK_AGAIN_NANOS : idleNanos - idleForNanos;
    if (laterNanos > 0) {
      channel.eventLoop().schedule(() -> look(idleNanos), laterNanos, TimeUnit.NANOSECONDS);
    } else {
      channel.close();
    }
  }

  private long now() {
    return channel.eventLoop().ticker().nanoTime();
  }

  private boolean isBusy() {
    ChannelOutboundBuffer unwritten = channel.unsafe().outboundBuffer();
    return unanswered > 0
        || codec.isBegun()
        || codec.waitingBytes() > 0
        || (unwritten != null && !unwritten.isEmpty());
  }

  /** Returns true if a next request may be decoded. */
  private boolean isTurn() {
    return unanswered == 0 && channel.isWritable();
  }

  /**
   * Decodes the next request if its turn has come. Does not do it at once, because the caller may
   * be the handler that receives it.
   */
  private void scheduleNext() {
    if (!isFeeding && !isNextScheduled && codec.isReady()) {
      isNextScheduled = true;
      channel.eventLoop().execute(this::next);
    }
  }

  private void next() {
    isNextScheduled = false;
    ChannelHandlerContext bytes = channel.pipeline().context(BYTES);
    if (bytes == null || closing.hasBegun() || !channel.isActive()) {
      return;
    }
    activeNanos = now();
    feed(bytes, Unpooled.EMPTY_BUFFER);
    if (codec.isBegun() && !isBodyOpen) {
      arrived(codec.begunBytes(), activeNanos);
    } else if (unanswered > 0) {
      arrived(0, activeNanos);
    } else {
      // There were empty lines only.
      memory.giveBackRequest(codec.waitingBytes());
    }
    bytes.fireChannelReadComplete();
    if (isReadWanted && !isInputClosed && !codec.isHolding() && channel.isOpen()) {
      isReadWanted = false;
      bytes.read();
    }
    if (isInputClosed && unanswered == 0 && (codec.isBegun() || codec.waitingBytes() == 0)) {
      // The rest of this request will never arrive, or there is none.
      bytes.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
    scheduleNext();
  }

  private void feed(ChannelHandlerContext context, Object message) {
    isFeeding = true;
    try {
      context.fireChannelRead(message);
    } finally {
      isFeeding = false;
    }
  }

  /**
   * Counts bytes that have arrived for requests without a response: refuses the request that takes
   * too much memory, and begins to watch the time of one that has not arrived completely.
   */
  private void arrived(long bytes, long nowNanos) {
    if (closing.hasBegun() || !channel.isActive()) {
      return;
    }
    boolean isHead = codec.isBegun() && !isBodyOpen;
    if (isHead) {
      arrival.headArrives(nowNanos);
    }
    if (!take(bytes, isHead)) {
      refuse(Refusal.NO_MEMORY);
    }
    if (isBodyOpen) {
      arrival.bodyArrives(bytes, nowNanos);
    }
    if (!isWatched && (isHead || isBodyOpen)) {
      watch(arrival.lookAfterNanos());
    }
  }

  private boolean take(long bytes, boolean isHead) {
    if (isHead) {
      return memory.takeHead(bytes);
    }
    if (unanswered == 0) {
      return true;
    }
    return (isStream && isBodyOpen) ? memory.takeStream() : memory.takeBody(bytes);
  }

  /**
   * Takes memory for what the socket has not taken of the responses, until it has. Closes the
   * connection if that is more than its share: its client reads too slowly for so much.
   */
  private void countUnread(ChannelHandlerContext context) {
    ChannelOutboundBuffer unwritten = channel.unsafe().outboundBuffer();
    long bytes = unwritten == null ? 0 : unwritten.totalPendingWriteBytes();
    boolean isWatching = memory.hasUnread();
    if (!memory.takeUnread(bytes)) {
      log.debug("Closing {}, because it does not read its responses", channel);
      context.close();
      return;
    }
    if (bytes > 0 && !isWatching) {
      watchUnread(context);
    }
  }

  /**
   * Counts again when everything that is unwritten now has been written: after this call, because
   * bytes count as unwritten until their listeners have been called.
   */
  private void watchUnread(ChannelHandlerContext context) {
    context
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(written -> channel.eventLoop().execute(() -> countUnreadAgain(context)));
  }

  private void countUnreadAgain(ChannelHandlerContext context) {
    memory.giveBackUnread();
    countUnread(context);
  }

  private void watch(long afterNanos) {
    isWatched = true;
    channel.eventLoop().schedule(this::checkTime, afterNanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Refuses a request that arrives too slowly. The time of a head counts from its turn: while an
   * earlier request has no response, its client may wait for that.
   */
  private void checkTime() {
    isWatched = false;
    if (!channel.isActive() || closing.hasBegun()) {
      return;
    }
    long now = now();
    if (isBodyOpen && responsesNotBegun > 0) {
      // A sender that is not read cannot go on: that time does not count.
      goOn(isReading ? arrival.bodyLeftNanos(now) : arrival.lookAfterNanos(), Refusal.SLOW_BODY);
    } else if (codec.isBegun() && !isBodyOpen) {
      if (unanswered > 0) {
        arrival.headBeginsNow(now);
      }
      goOn(arrival.headLeftNanos(now), Refusal.SLOW_HEAD);
    }
  }

  private void goOn(long leftNanos, Refusal late) {
    if (leftNanos > 0) {
      watch(leftNanos);
    } else {
      refuse(late);
    }
  }

  /** Answers the request that is being received, if it is in turn, and closes the connection. */
  private void refuse(Refusal refusal) {
    refuse(refusal, unanswered == (isBodyOpen ? 1 : 0) && responsesNotBegun == unanswered);
  }

  private void refuse(Refusal refusal, boolean isInTurn) {
    ChannelHandlerContext messages = channel.pipeline().context(MESSAGES);
    if (isInTurn && messages != null) {
      messages.writeAndFlush(refusal.response());
    }
    channel.close();
  }

  /** The handler next to the socket, which sees bytes. */
  private final class Bytes extends ChannelDuplexHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (closing.hasBegun()) {
        ReferenceCountUtil.release(message);
        return;
      }
      activeNanos = now();
      int count = 0;
      Object kept = message;
      if (message instanceof ByteBuf bytes) {
        count = bytes.readableBytes();
        kept = unanswered > 0 ? CompactBuffer.of(bytes) : bytes;
      }
      feed(context, kept);
      if (codec.isBegun() && !isBodyOpen) {
        arrived(Math.min(count, codec.begunBytes()), activeNanos);
      } else if (unanswered > 0) {
        arrived(count, activeNanos);
      }
      scheduleNext();
    }

    /**
     * Reads no further than one buffer while earlier requests are answered, and not behind the end:
     * Netty fails then.
     */
    @Override
    public void read(ChannelHandlerContext context) {
      if (!closing.hasBegun() && codec.isHolding()) {
        isReadWanted = true;
      } else if (channel.isOpen() && !isInputClosed) {
        context.read();
      }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
      context.flush();
      countUnread(context);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      scheduleNext();
      context.fireChannelWritabilityChanged();
    }

    /**
     * Closes the connection of a client that has closed its sending side, unless it has sent whole
     * requests and waits for their responses, or for the end of the last one.
     */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (!(event instanceof ChannelInputShutdownEvent)) {
        context.fireUserEventTriggered(event);
      } else if (closing.hasBegun()
          || (unanswered > 0 && (isBodyOpen || codec.isBegun()))
          || QueuePlace.isHeld(channel)) {
        context.close();
      } else {
        isInputClosed = true;
        if (unanswered == 0 && (codec.isBegun() || codec.waitingBytes() == 0)) {
          context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      memory.giveBackAll();
      context.fireChannelInactive();
    }
  }

  /** The handler that sees decoded requests, and responses before they are encoded. */
  private final class Messages extends ChannelDuplexHandler {
    /** True if the last request was refused at its head; its body is dropped then. */
    private boolean isRefused;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (isReading) {
        isReading = false;
        arrival.pauses(activeNanos);
      }
      if (message instanceof HttpRequest request) {
        begun(request);
        // Now, because lines are worked on as they come: a refusal says that nothing was done.
        isRefused = isStream && !(channel.isActive() && memory.takeStream());
        if (isRefused) {
          refuse(Refusal.NO_MEMORY);
        }
      }
      if (message instanceof LastHttpContent) {
        isBodyOpen = false;
      }
      if (isRefused) {
        ReferenceCountUtil.release(message);
      } else {
        context.fireChannelRead(message);
      }
    }

    private void begun(HttpRequest request) {
      if (unanswered == 0) {
        memory.giveBackRequest(codec.waitingBytes());
      }
      unanswered++;
      responsesNotBegun++;
      isBodyOpen = true;
      isStream = isStream(request);
      memory.addFields(request.headers().size());
      arrival.bodyBegins(activeNanos);
    }

    private static boolean isStream(HttpRequest request) {
      String type = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
      return type != null && (type.contains("ndjson") || type.contains("csv"));
    }

    @Override
    public void read(ChannelHandlerContext context) {
      if (!isReading && isBodyOpen) {
        arrival.resumes(now());
      }
      isReading = true;
      context.read();
    }

    /**
     * A client that waits for its response is not idle, even if that takes longer than a client may
     * be silent. Neither is one whose body is not being read, because its sender cannot go on.
     */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      boolean isServersTurn = responsesNotBegun > 0 && !(isBodyOpen && isReading);
      if (!(event instanceof IdleStateEvent) || !isServersTurn) {
        context.fireUserEventTriggered(event);
      }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      if (message instanceof HttpResponse && !TurnCodec.isInterim(message)) {
        responsesNotBegun--;
      }
      if (message instanceof LastHttpContent && !TurnCodec.isInterim(message)) {
        unanswered--;
        activeNanos = now();
        if (unanswered == 0) {
          arrival.headBeginsNow(activeNanos);
          if (!codec.isBegun()) {
            memory.giveBackRequest(codec.waitingBytes());
          }
          scheduleNext();
          if (isInputClosed && codec.waitingBytes() == 0) {
            context.write(message, promise.unvoid()).addListener(ChannelFutureListener.CLOSE);
            return;
          }
        }
      }
      context.write(message, promise);
    }
  }
}
