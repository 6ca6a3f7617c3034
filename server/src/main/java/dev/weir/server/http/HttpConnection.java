package dev.weir.server.http;

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
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: serves one request at a time, tracks its response and closes without losing it.
 *
 * <p>A next request is decoded when the response to the one before is complete and the client takes
 * it. Meanwhile nothing more is read than one buffer. Otherwise a client that sends requests and
 * reads nothing would fill the memory with responses.
 *
 * <p>Closing a socket with unread bytes resets the connection, and a reset destroys a response that
 * the client has not read yet. A close therefore shuts down the output first, then reads on for a
 * moment until the client has closed too (RFC 9112, 9.6).
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
public final class HttpConnection {
  private static final Logger log = LoggerFactory.getLogger(HttpConnection.class);

  private static final AttributeKey<Boolean> HOLDS_PLACE =
      AttributeKey.valueOf(HttpConnection.class, "holdsPlace");
  private static final String BYTES = "weir-bytes";
  private static final String MESSAGES = "weir-messages";

  /** Max time for a client to close its side. */
  private static final long LINGER_MILLIS = 1_000;

  /** Interval at which a connection with a pending response is checked again. */
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final Problem SLOW_HEAD =
      Problem.of(408, "request-timeout", "The head of the request did not arrive in time.");

  private static final Problem SLOW_BODY =
      Problem.of(408, "request-timeout", "The body of the request arrives too slowly.");

  private static final Problem NO_MEMORY =
      Problem.of(
          503,
          "busy",
          "The requests in progress leave no memory for this one. Nothing was done; try again.");

  private final Channel channel;
  private final ListenerSettings settings;
  private final RequestMemory memory;
  private final BodyDeadline bodyDeadline;
  private final TurnCodec codec;

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

  private boolean saidAll;

  /** Whether the client has closed its sending side, and waits for responses. */
  private boolean isInputClosed;

  private long activeNanos;

  /** Since when the time counts for the head that is being received. */
  private long headSinceNanos;

  private boolean isHeadBegun;

  private long pausedSinceNanos;
  private boolean isWatched;

  /** Whether the body in progress is read line by line, and so does not stay in memory. */
  private boolean isStream;

  /** Memory taken for what has arrived, and for header fields that are not counted yet. */
  private long heldBytes;

  private long fieldBytes;

  /** Memory taken for responses that the client has not taken yet. */
  private long unreadBytes;

  /** Starts to watch a connection whose pipeline has been built. */
  HttpConnection(
      Channel channel, ListenerSettings settings, HttpDecoderConfig sizes, RequestMemory memory) {
    this.channel = channel;
    this.activeNanos = now();
    this.settings = settings;
    this.memory = memory;
    this.bodyDeadline =
        new BodyDeadline(settings.headTimeout(), settings.idleTimeout(), settings.minRate());
    this.codec = new TurnCodec(sizes, this::isTurn);
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    channel
        .pipeline()
        .addFirst(BYTES, new Bytes())
        .replace(
            ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC,
            ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC,
            codec);
    channel
        .pipeline()
        .addAfter(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, MESSAGES, new Messages());
  }

  /**
   * Marks a request of this connection as one that holds a place in a queue. Its client has left if
   * it closes its sending side: a half-closed connection cannot be told from a closed one, and the
   * place is wanted by others. Thread-safe.
   */
  public static void holdPlace(Channel channel) {
    channel.attr(HOLDS_PLACE).set(true);
    if (channel instanceof DuplexChannel duplex && duplex.isInputShutdown()) {
      channel.close();
    }
  }

  /** Ends what {@link #holdPlace} began. Thread-safe. */
  public static void leavePlace(Channel channel) {
    channel.attr(HOLDS_PLACE).set(null);
  }

  /** Adds a handler that sees requests before the router does. */
  public void add(String name, ChannelHandler handler) {
    channel.pipeline().addAfter(MESSAGES, name, handler);
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
    if (!channel.isActive() || saidAll) {
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
    if (bytes == null || saidAll || !channel.isActive()) {
      return;
    }
    activeNanos = now();
    feed(bytes, Unpooled.EMPTY_BUFFER);
    if (codec.isBegun() && !isBodyOpen) {
      arrived(codec.begunBytes(), activeNanos);
    } else if (unanswered > 0) {
      arrived(0, activeNanos);
    }
    bytes.fireChannelReadComplete();
    if (isReadWanted && !isInputClosed && !codec.isHolding() && channel.isOpen()) {
      isReadWanted = false;
      bytes.read();
    }
    if (isInputClosed && unanswered == 0 && codec.isBegun()) {
      // The rest of this request will never arrive.
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
    boolean isHead = codec.isBegun() && !isBodyOpen;
    if (isHead) {
      if (!isHeadBegun) {
        isHeadBegun = true;
        headSinceNanos = nowNanos;
      }
      hold(bytes * RequestMemory.HEAP_PER_HEAD_BYTE);
    } else if (unanswered > 0) {
      hold(fieldBytes + (isStream && isBodyOpen ? 0 : bytes + RequestMemory.BUFFER_BYTES));
      fieldBytes = 0;
    }
    if (isBodyOpen) {
      bodyDeadline.arrived(bytes, nowNanos);
    }
    if (!isWatched && (isHead || isBodyOpen)) {
      watch(settings.headTimeout().toNanos());
    }
  }

  private void hold(long bytes) {
    if (memory.take(heldBytes, bytes)) {
      heldBytes += bytes;
    } else {
      refuse(NO_MEMORY);
    }
  }

  /** Gives back the memory of the last request, and keeps that of bytes behind it. */
  private void release() {
    long keptBytes = Math.min(heldBytes, codec.waitingBytes());
    memory.giveBack(heldBytes - keptBytes);
    heldBytes = keptBytes;
    fieldBytes = 0;
  }

  private void releaseAll() {
    memory.giveBack(heldBytes + unreadBytes);
    heldBytes = 0;
    fieldBytes = 0;
    unreadBytes = 0;
  }

  /**
   * Takes memory for what the socket has not taken of the responses, until it has. Closes the
   * connection if that is more than its share: its client reads too slowly for so much.
   */
  private void countUnread(ChannelHandlerContext context) {
    ChannelOutboundBuffer unwritten = channel.unsafe().outboundBuffer();
    long bytes = unwritten == null ? 0 : unwritten.totalPendingWriteBytes();
    boolean isWatching = unreadBytes > 0;
    if (bytes > unreadBytes && !memory.take(unreadBytes, bytes - unreadBytes)) {
      log.debug("Closing {}, because it does not read its responses", channel);
      context.close();
      return;
    }
    if (bytes < unreadBytes) {
      memory.giveBack(unreadBytes - bytes);
    }
    unreadBytes = bytes;
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
    memory.giveBack(unreadBytes);
    unreadBytes = 0;
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
    if (!channel.isActive() || saidAll) {
      return;
    }
    long now = now();
    if (isBodyOpen && responsesNotBegun > 0) {
      // A sender that is not read cannot go on: that time does not count.
      long leftNanos = isReading ? bodyDeadline.nanos() - now : settings.headTimeout().toNanos();
      goOn(leftNanos, SLOW_BODY);
    } else if (codec.isBegun() && !isBodyOpen) {
      if (unanswered > 0) {
        headSinceNanos = now;
      }
      goOn(headSinceNanos + settings.headTimeout().toNanos() - now, SLOW_HEAD);
    }
  }

  private void goOn(long leftNanos, Problem late) {
    if (leftNanos > 0) {
      watch(leftNanos);
    } else {
      refuse(late);
    }
  }

  /** Answers the request that is being received, if it is in turn, and closes the connection. */
  private void refuse(Problem problem) {
    boolean isInTurn = unanswered == (isBodyOpen ? 1 : 0) && responsesNotBegun == unanswered;
    ChannelHandlerContext messages = channel.pipeline().context(MESSAGES);
    if (isInTurn && messages != null) {
      messages.writeAndFlush(response(problem));
    }
    channel.close();
  }

  private static FullHttpResponse response(Problem problem) {
    byte[] body = problem.toJson();
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(problem.status()),
            Unpooled.wrappedBuffer(body));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }

  /** The handler next to the socket, which sees bytes. */
  private final class Bytes extends ChannelDuplexHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (saidAll) {
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
      if (!saidAll && codec.isHolding()) {
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
     * requests and waits for their responses.
     */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (!(event instanceof ChannelInputShutdownEvent)) {
        context.fireUserEventTriggered(event);
      } else if (saidAll
          || (unanswered == 0 && codec.waitingBytes() == 0)
          || isBodyOpen
          || codec.isBegun()
          || channel.attr(HOLDS_PLACE).get() != null) {
        context.close();
      } else {
        isInputClosed = true;
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      releaseAll();
      context.fireChannelInactive();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.fireChannelReadComplete();
      if (saidAll) {
        context.read();
      }
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
      if (saidAll
          || isInputClosed
          || !channel.isActive()
          || !(channel instanceof DuplexChannel duplex)) {
        context.close(promise);
        return;
      }
      saidAll = true;
      duplex.shutdownOutput();
      // The channel closes when the client closes its side; this timer then has no effect.
      channel
          .eventLoop()
          .schedule(() -> context.close(promise), LINGER_MILLIS, TimeUnit.MILLISECONDS);
      context.read();
    }
  }

  /** The handler that sees decoded requests, and responses before they are encoded. */
  private final class Messages extends ChannelDuplexHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (isReading) {
        isReading = false;
        pausedSinceNanos = activeNanos;
      }
      if (message instanceof HttpRequest request) {
        begun(request);
      }
      if (message instanceof LastHttpContent) {
        isBodyOpen = false;
      }
      context.fireChannelRead(message);
    }

    private void begun(HttpRequest request) {
      if (unanswered == 0) {
        release();
      }
      unanswered++;
      responsesNotBegun++;
      isBodyOpen = true;
      isHeadBegun = false;
      fieldBytes += (long) request.headers().size() * RequestMemory.FIELD_BYTES;
      isStream = isStream(request);
      bodyDeadline.begin(activeNanos);
      pausedSinceNanos = activeNanos;
    }

    private static boolean isStream(HttpRequest request) {
      String type = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
      return type != null && (type.contains("ndjson") || type.contains("csv"));
    }

    @Override
    public void read(ChannelHandlerContext context) {
      if (!isReading && isBodyOpen) {
        bodyDeadline.extend(now() - pausedSinceNanos);
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
      if (message instanceof HttpResponse && !isInterim(message)) {
        responsesNotBegun--;
      }
      if (message instanceof LastHttpContent && !isInterim(message)) {
        unanswered--;
        activeNanos = now();
        if (unanswered == 0) {
          headSinceNanos = activeNanos;
          if (!codec.isBegun()) {
            release();
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

    /**
     * Returns true for an interim response such as 100 Continue, after which the final one follows.
     */
    private static boolean isInterim(Object message) {
      return message instanceof HttpResponse response
          && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }
  }
}
