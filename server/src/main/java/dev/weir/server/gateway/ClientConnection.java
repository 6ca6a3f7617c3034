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
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client connection. Reads requests one at a time and hands each to an {@link Exchange}.
 *
 * <p>The connection is not read while its data cannot be used: TCP slows down a client that sends
 * faster than its upstream receives, and at most one read is held in memory. A next request is
 * decoded when the response to the one before is complete and the client takes it: one that sends
 * requests and reads nothing would fill the memory with responses.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
final class ClientConnection extends ChannelInboundHandlerAdapter
    implements Client, EventLoopContext.Connection, RequestDecoder.Turns {
  private static final Logger log = LoggerFactory.getLogger(ClientConnection.class);

  /** How long a client may take to close its side after the gateway has closed its own. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long NEVER = Long.MAX_VALUE;

  private final EventLoopContext loop;
  private final Channel channel;
  private final FlowControlledChannel wire;
  private final ForwardedHeaders forwardedHeaders;
  private final ResponseEncoder encoder = new ResponseEncoder();

  private final RequestDecoder decoder;

  /** Bytes read behind those of the decoder, only to detect whether the client has left. */
  private final EarlyBytes ahead;

  private State state = State.IDLE;
  private @Nullable Exchange exchange;

  /** Whether the decoder will be asked for the next request. */
  private boolean isNextScheduled;

  /** When the current wait times out; {@link #NEVER} if it does not. */
  private long deadlineNanos;

  private long idleSinceNanos;

  /** Whether the client has closed its sending side, and waits for its response. */
  private boolean isInputClosed;

  /** Memory for the header fields of the current request. */
  private long fieldBytes;

  /** Memory taken for the current request, and for bytes behind it. */
  private long heldBytes;

  private enum State {
    /** No part of a next request has arrived. */
    IDLE,
    /** Part of a request head has arrived. */
    BEGUN,
    /** A request is in progress, or the end of the last response is being sent. */
    BUSY,
    /** The output is shut down; waiting for the client to close. */
    CLOSING
  }

  private ClientConnection(EventLoopContext loop, Channel channel) {
    this.loop = loop;
    this.channel = channel;
    this.wire = new FlowControlledChannel(channel);
    this.forwardedHeaders = new ForwardedHeaders(loop.shared().engine().proxies(), channel);
    this.decoder = new RequestDecoder(loop.settings().bounds(), this);
    this.ahead =
        new EarlyBytes(wire, loop.shared().lookAhead(), () -> !isHoldingBack(), this::inputClosed);
    idle();
  }

  /** Starts to serve a client on a new channel. */
  static void serve(EventLoopContext loop, Channel channel) {
    ClientConnection client = new ClientConnection(loop, channel);
    channel.pipeline().addLast(client.ahead, client.decoder, client.encoder, client);
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

  /** Returns true if a next request may be decoded, or there is none any more. */
  @Override
  public boolean isTurn() {
    return switch (state) {
      case IDLE -> channel.isWritable();
      case BEGUN, CLOSING -> true;
      case BUSY -> false;
    };
  }

  /** Starts the time-out for the request head. */
  @Override
  public void begun() {
    if (state == State.IDLE) {
      state = State.BEGUN;
      timeOutAfter(loop.settings().times().head());
    }
  }

  @Override
  public void early() {
    read(false);
  }

  /** Returns true if bytes of a next request have arrived before their turn. */
  private boolean isHoldingBack() {
    return decoder.isHolding() && !isTurn();
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
        || (state == State.IDLE
            && nowNanos - idleSinceNanos >= maxIdleNanos
            && !decoder.isHolding());
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
    if (!decoder.isHolding()) {
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
    Duration idle = loop.settings().times().idle();
    switch (state) {
      case IDLE -> {
        if (wire.isTaking(idle)) {
          idle();
        } else {
          closeAfterResponse();
        }
      }
      case BEGUN -> {
        state = State.BUSY;
        refuse(
            Problem.of(408, "request-timeout", "The head of the request did not arrive in time."));
      }
      case BUSY -> {
        if (exchange != null) {
          exchange.timedOut();
        } else if (wire.isTaking(idle)) {
          timeOutAfter(idle);
        } else {
          channel.close();
        }
      }
      case CLOSING -> channel.close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isWanted(message)) {
      take(message);
      return;
    }
    // The rest of a request that has been refused.
    ReferenceCountUtil.release(message);
    if (state != State.CLOSING) {
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

  /**
   * Sets how much memory is taken for what has arrived; returns false, and changes nothing, if that
   * is too much.
   */
  private boolean hold(long bytes) {
    RequestMemory memory = loop.shared().memory();
    if (bytes > heldBytes && !memory.take(heldBytes, bytes - heldBytes)) {
      return false;
    }
    if (bytes < heldBytes) {
      memory.giveBack(heldBytes - bytes);
    }
    heldBytes = bytes;
    return true;
  }

  /** Takes memory for what has arrived and is not complete, or not in turn. */
  private void count() {
    if (state == State.BEGUN) {
      if (!hold(decoder.begunBytes() * RequestMemory.HEAP_PER_HEAD_BYTE)) {
        state = State.BUSY;
        refuse(Refusals.BUSY);
      }
    } else if (state != State.CLOSING
        && !hold(fieldBytes + (decoder.isHolding() ? decoder.waitingBytes() : 0))) {
      log.debug("Closing {}, which sends more than there is memory for", channel);
      channel.close();
    }
  }

  private void begin(HttpRequest request) {
    state = State.BUSY;
    neverTimeOut();
    fieldBytes = (long) request.headers().size() * RequestMemory.FIELD_BYTES;
    if (!hold(fieldBytes)) {
      refuse(Refusals.BUSY);
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
    fieldBytes = 0;
    encoder.respondsToHead(false);
    idle();
    count();
    read(true);
    scheduleNext();
    closeIfDone();
  }

  /**
   * Decodes the next request if its turn has come. Does not do it at once, because the caller may
   * be the decoder.
   */
  private void scheduleNext() {
    if (!isNextScheduled && decoder.isHolding() && isTurn()) {
      isNextScheduled = true;
      loop.eventLoop().execute(this::next);
    }
  }

  private void next() {
    isNextScheduled = false;
    ChannelHandlerContext bytes = channel.pipeline().context(ahead);
    if (bytes == null || !channel.isActive() || !decoder.isHolding() || !isTurn()) {
      return;
    }
    read(true);
    bytes.fireChannelRead(Unpooled.EMPTY_BUFFER);
    bytes.fireChannelReadComplete();
  }

  /** Closes the connection of a client that sends nothing more, and has all of its responses. */
  private void closeIfDone() {
    if (isInputClosed
        && (state == State.IDLE || state == State.BEGUN)
        && !decoder.isHolding()
        && ahead.isEmpty()) {
      closeAfterResponse();
    }
  }

  @Override
  public void read(boolean isRead) {
    wire.read(isHoldingBack() ? ahead.hasRoom() : isRead);
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
   * Shuts down the output, of which everything has been sent, then keeps reading for a moment
   * before closing. A close with unread bytes would send a reset, which destroys a response that is
   * still on its way (RFC 9112, 9.6).
   */
  private void closeInOrder() {
    if (isInputClosed || !channel.isActive() || !(channel instanceof DuplexChannel half)) {
      channel.close();
      return;
    }
    state = State.CLOSING;
    deadlineNanos = System.nanoTime() + LINGER_NANOS;
    ahead.release();
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
    return decoder.waitingBytes() > 0 || !ahead.isEmpty();
  }

  @Override
  public void becomeTunnel() {
    channel.pipeline().remove(decoder);
    channel.pipeline().remove(encoder);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    count();
    closeIfDone();
    if (exchange != null) {
      exchange.clientPaused();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (exchange != null && channel.isWritable()) {
      exchange.clientWritable();
    }
    scheduleNext();
  }

  /** Called when the client has closed its sending side. */
  private void inputClosed() {
    isInputClosed = true;
    wire.ended();
    boolean isCancelled = exchange != null && !exchange.isOnlyResponsePending();
    if (isCancelled || hasLeft() || state == State.CLOSING) {
      channel.close();
    } else {
      closeIfDone();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    loop.remove(this);
    Exchange left = exchange;
    exchange = null;
    state = State.CLOSING;
    ahead.release();
    hold(0);
    if (left != null) {
      left.clientGone();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    log.debug("A client's connection failed", cause);
    context.close();
  }
}
