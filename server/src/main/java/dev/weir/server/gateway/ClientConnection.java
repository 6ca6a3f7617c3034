package dev.weir.server.gateway;

import dev.weir.http.connections.RequestMemory;
import dev.weir.http.problems.Problem;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client connection. Reads requests one at a time and hands each to an {@link Exchange}.
 *
 * <p>The connection is not read while its data cannot be used: TCP slows down a client that sends
 * faster than its upstream receives, and at most one read is held in memory.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
final class ClientConnection extends ChannelInboundHandlerAdapter
    implements Client, EventLoopContext.Connection {
  private static final Logger log = LoggerFactory.getLogger(ClientConnection.class);

  /** How long a client may take to close its side after the gateway has closed its own. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long NEVER = Long.MAX_VALUE;

  private final EventLoopContext loop;
  private final Channel channel;
  private final FlowControlledChannel wire;
  private final ForwardedHeaders forwardedHeaders;
  private final ResponseEncoder encoder = new ResponseEncoder();

  /** Messages received before the response to an earlier request was complete. */
  private final ArrayDeque<Object> early = new ArrayDeque<>(0);

  /** Bytes read after {@link #early}, only to detect whether the client is still connected. */
  private final EarlyBytes ahead;

  private State state = State.IDLE;
  private @Nullable Exchange exchange;
  private boolean isReplaying;

  /** Whether the decoder has bytes of a request that it has not passed on completely. */
  private boolean isNextBegun;

  /** When the current wait times out; {@link #NEVER} if it does not. */
  private long deadlineNanos;

  private long idleSinceNanos;

  /** Whether the client has closed its sending side, and waits for its response. */
  private boolean isInputClosed;

  /** Memory taken for the current request. */
  private long heldBytes;

  private enum State {
    /** No part of a next request has arrived. */
    IDLE,
    /** Part of a request head has arrived. */
    BEGUN,
    /** A request is in progress. */
    BUSY,
    /** The output is shut down; waiting for the client to close. */
    CLOSING
  }

  private ClientConnection(EventLoopContext loop, Channel channel) {
    this.loop = loop;
    this.channel = channel;
    this.wire = new FlowControlledChannel(channel);
    this.forwardedHeaders = new ForwardedHeaders(loop.shared().engine().proxies(), channel);
    this.ahead = new EarlyBytes(wire, loop.shared().lookAhead(), early::isEmpty);
    idle();
  }

  /** Starts to serve a client on a new channel. */
  static void serve(EventLoopContext loop, Channel channel) {
    ClientConnection client = new ClientConnection(loop, channel);
    channel
        .pipeline()
        .addLast(
            client.ahead,
            new RequestDecoder(loop.settings().bounds(), client::arrived),
            client.encoder,
            client);
    loop.add(client);
  }

  @Override
  public EventLoopContext loop() {
    return loop;
  }

  @Override
  public FlowControlledChannel wire() {
    return wire;
  }

  @Override
  public ForwardedHeaders forwardedHeaders() {
    return forwardedHeaders;
  }

  private void idle() {
    state = State.IDLE;
    idleFrom(System.nanoTime());
  }

  @Override
  public void idleFrom(long nowNanos) {
    idleSinceNanos = nowNanos;
    if (state == State.IDLE) {
      deadlineNanos = nowNanos + loop.settings().times().idle().toNanos();
    }
  }

  /** Called when bytes arrive; starts the time-out for the request head. */
  private void arrived() {
    isNextBegun = true;
    if (state == State.IDLE) {
      state = State.BEGUN;
      timeOutAfter(loop.settings().times().head());
    }
  }

  @Override
  public void timeOutAfter(Duration max) {
    deadlineNanos = System.nanoTime() + max.toNanos();
  }

  @Override
  public void timeOutAt(long nanos) {
    deadlineNanos = nanos;
  }

  @Override
  public void neverTimeOut() {
    deadlineNanos = NEVER;
  }

  @Override
  public boolean isLate(long nowNanos, long maxIdleNanos) {
    return hasLeft()
        || (deadlineNanos != NEVER && nowNanos - deadlineNanos >= 0)
        || (state == State.IDLE && nowNanos - idleSinceNanos >= maxIdleNanos);
  }

  /**
   * Returns true if the client has closed its sending side while its request holds a place: a
   * half-closed connection cannot be told from a closed one, and the place is wanted by others.
   */
  private boolean hasLeft() {
    return isInputClosed && exchange != null && exchange.holdsPlace();
  }

  @Override
  public boolean isUnreadSince(long nanos) {
    return exchange != null && wire.isPausedSince(nanos);
  }

  @Override
  public void lookAhead() {
    if (exchange == null) {
      return;
    }
    if (early.isEmpty()) {
      exchange.lookAhead();
    } else if (exchange.holdsPlace() && ahead.lookAhead()) {
      read(false);
    }
  }

  @Override
  public void timedOut() {
    if (hasLeft()) {
      channel.close();
      return;
    }
    switch (state) {
      case IDLE -> closeInOrder();
      case BEGUN -> {
        state = State.BUSY;
        refuse(
            Problem.of(408, "request-timeout", "The head of the request did not arrive in time."));
      }
      case BUSY -> {
        if (exchange == null) {
          channel.close();
        } else {
          exchange.timedOut();
        }
      }
      case CLOSING -> channel.close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof LastHttpContent) {
      isNextBegun = false;
    }
    if (early.isEmpty() && isWanted(message)) {
      take(message);
    } else if (state == State.CLOSING) {
      ReferenceCountUtil.release(message);
    } else {
      early.addLast(message);
      read(false);
    }
  }

  /** Returns true if the message belongs to the current request, or there is no current request. */
  private boolean isWanted(Object message) {
    return switch (state) {
      case IDLE, BEGUN -> true;
      case BUSY -> exchange != null && (message instanceof ByteBuf || exchange.wantsContent());
      case CLOSING -> false;
    };
  }

  private void take(Object message) {
    Exchange current = exchange;
    if (current != null && message instanceof HttpContent content) {
      current.content(content);
    } else if (current != null && message instanceof ByteBuf bytes) {
      current.bytesFromClient(bytes);
    } else if (current == null && message instanceof HttpRequest request) {
      begin(request);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  /** Takes memory for a request until it is over, or refuses it. */
  private boolean hold(long bytes) {
    if (loop.shared().memory().take(heldBytes, bytes)) {
      heldBytes += bytes;
      return true;
    }
    refuse(Refusals.BUSY);
    return false;
  }

  private void releaseMemory() {
    loop.shared().memory().giveBack(heldBytes);
    heldBytes = 0;
  }

  private void begin(HttpRequest request) {
    state = State.BUSY;
    neverTimeOut();
    releaseMemory();
    if (!hold((long) request.headers().size() * RequestMemory.FIELD_BYTES)) {
      return;
    }
    if (request.decoderResult().isFailure()) {
      refuse(Refusals.undecodable(request.decoderResult().cause()));
      return;
    }
    encoder.respondsToHead(request.method().equals(HttpMethod.HEAD));
    Exchange next = new Exchange(this, request);
    exchange = next;
    next.begin();
  }

  /** Answers input that is not a valid request, and closes the connection. */
  private void refuse(Problem problem) {
    wire.write(Refusals.response(problem, true));
    wire.flush();
    closeAfterResponse();
  }

  @Override
  public void exchangeOver() {
    exchange = null;
    releaseMemory();
    encoder.respondsToHead(false);
    idle();
    if (!isReplaying) {
      isReplaying = true;
      try {
        replay();
      } finally {
        isReplaying = false;
      }
      if (isInputClosed && exchange == null) {
        closeInOrder();
      }
    }
  }

  private void replay() {
    Object next = early.peekFirst();
    while (next != null && isWanted(next)) {
      take(early.removeFirst());
      next = early.peekFirst();
    }
    if (next == null) {
      read(true);
    }
    if (exchange != null) {
      exchange.clientPaused();
    }
  }

  @Override
  public void read(boolean isRead) {
    wire.read(early.isEmpty() ? isRead : ahead.hasRoom());
    ahead.handOn();
  }

  @Override
  public void closeAfterResponse() {
    exchange = null;
    state = State.BUSY;
    timeOutAfter(loop.settings().times().idle());
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener((ChannelFutureListener) written -> closeInOrder());
  }

  /**
   * Shuts down the output, then keeps reading for a moment before closing. A close with unread
   * bytes would send a reset, which destroys a response that is still on its way (RFC 9112, 9.6).
   */
  private void closeInOrder() {
    if (state == State.CLOSING
        || isInputClosed
        || !channel.isActive()
        || !(channel instanceof DuplexChannel half)) {
      channel.close();
      return;
    }
    state = State.CLOSING;
    deadlineNanos = System.nanoTime() + LINGER_NANOS;
    releaseEarly();
    half.shutdownOutput();
    read(true);
  }

  @Override
  public void cut() {
    exchange = null;
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    channel.close();
  }

  @Override
  public boolean isAhead() {
    return isNextBegun || !early.isEmpty() || !ahead.isEmpty();
  }

  @Override
  public void becomeTunnel() {
    channel.pipeline().remove(RequestDecoder.class);
    channel.pipeline().remove(ResponseEncoder.class);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    long bytes = ahead.takeCount();
    if (state == State.BEGUN) {
      hold(bytes * RequestMemory.HEAP_PER_HEAD_BYTE);
    }
    if (exchange != null) {
      exchange.clientPaused();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (exchange != null && channel.isWritable()) {
      exchange.clientWritable();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      isInputClosed = true;
      boolean isWaiting =
          state == State.BUSY && (exchange == null || exchange.isOnlyResponsePending());
      if (!isWaiting || hasLeft()) {
        channel.close();
      }
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    loop.remove(this);
    Exchange left = exchange;
    exchange = null;
    state = State.CLOSING;
    releaseEarly();
    releaseMemory();
    if (left != null) {
      left.clientGone();
    }
  }

  private void releaseEarly() {
    early.forEach(ReferenceCountUtil::release);
    early.clear();
    ahead.release();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    log.debug("A client's connection failed", cause);
    context.close();
  }
}
