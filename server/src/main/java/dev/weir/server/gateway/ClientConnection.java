package dev.weir.server.gateway;

import dev.weir.server.rest.Problem;
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
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection: takes one request after the other, and hands each to an {@link Exchange}.
 *
 * <p>While it is known that nobody wants what a client sends, it is not read: a client that sends
 * faster than its upstream takes is slowed down by TCP, and only one read of it is in memory.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's; a connection that fails is closed by it.
final class ClientConnection extends ChannelInboundHandlerAdapter {
  private static final Logger log = LoggerFactory.getLogger(ClientConnection.class);

  /** How long a client may take to close its side, once we have closed ours. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long NEVER = Long.MAX_VALUE;

  private final Loop loop;
  private final Channel channel;
  private final Wire wire;
  private final Hop hop;
  private final AnswerEncoder encoder = new AnswerEncoder();

  /** What was sent before the answer to what came earlier. */
  private final ArrayDeque<Object> early = new ArrayDeque<>(0);

  /** What was read after that, to see whether the client is still there. */
  private final EarlyBytes ahead;

  private State state = State.IDLE;
  private @Nullable Exchange exchange;
  private boolean isReplaying;

  /** When patience ends; {@link #NEVER} if it does not. */
  private long deadlineNanos;

  private long idleSinceNanos;

  private enum State {
    /** Nothing of a next request is here. */
    IDLE,
    /** A part of the head of a request is here. */
    BEGUN,
    /** A request is under way. */
    BUSY,
    /** We have said all, and wait for the client to close. */
    SAID_ALL
  }

  private ClientConnection(Loop loop, Channel channel) {
    this.loop = loop;
    this.channel = channel;
    this.wire = new Wire(channel);
    this.hop = new Hop(loop.shared().parts().proxies(), channel);
    this.ahead = new EarlyBytes(wire, loop.shared().lookAhead(), early::isEmpty);
    idle();
  }

  /** Serves a client from now on. */
  static void serve(Loop loop, Channel channel) {
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

  Loop loop() {
    return loop;
  }

  Wire wire() {
    return wire;
  }

  Hop hop() {
    return hop;
  }

  private void idle() {
    state = State.IDLE;
    idleFrom(System.nanoTime());
  }

  /** It is as if it had been idle only from now on. */
  void idleFrom(long nowNanos) {
    idleSinceNanos = nowNanos;
    if (state == State.IDLE) {
      deadlineNanos = nowNanos + loop.settings().times().idle().toNanos();
    }
  }

  /** Some bytes are here. */
  private void arrived() {
    if (state == State.IDLE) {
      state = State.BEGUN;
      patience(loop.settings().times().head());
    }
  }

  /** How long from now on may pass until {@link #timedOut}. */
  void patience(Duration most) {
    deadlineNanos = System.nanoTime() + most.toNanos();
  }

  void endlessPatience() {
    deadlineNanos = NEVER;
  }

  /**
   * Whether its time is up.
   *
   * @param mostIdleNanos how long it may ask nothing
   */
  boolean isLate(long nowNanos, long mostIdleNanos) {
    return (deadlineNanos != NEVER && nowNanos - deadlineNanos >= 0)
        || (state == State.IDLE && nowNanos - idleSinceNanos >= mostIdleNanos);
  }

  /** Returns true if a request is under way that was not read on since then. */
  boolean isUnreadSince(long nanos) {
    return exchange != null && wire.isPausedSince(nanos);
  }

  void lookAhead() {
    if (exchange == null) {
      return;
    }
    if (early.isEmpty()) {
      exchange.lookAhead();
    } else if (exchange.holdsPlace() && ahead.lookAhead()) {
      read(false);
    }
  }

  void timedOut() {
    switch (state) {
      case IDLE -> closeInOrder();
      case BEGUN -> {
        state = State.BUSY;
        refuse(Problem.of(408, "request-timeout", "The head of the request did not come in time."));
      }
      case BUSY -> {
        if (exchange == null) {
          channel.close();
        } else {
          exchange.timedOut();
        }
      }
      case SAID_ALL -> channel.close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (early.isEmpty() && isWanted(message)) {
      take(message);
    } else if (state == State.SAID_ALL) {
      ReferenceCountUtil.release(message);
    } else {
      early.addLast(message);
      read(false);
    }
  }

  /** Whether it belongs to the request that is under way, or there is none. */
  private boolean isWanted(Object message) {
    return switch (state) {
      case IDLE, BEGUN -> true;
      case BUSY -> exchange != null && (message instanceof ByteBuf || exchange.wantsContent());
      case SAID_ALL -> false;
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

  private void begin(HttpRequest request) {
    state = State.BUSY;
    endlessPatience();
    if (request.decoderResult().isFailure()) {
      refuse(Refusals.undecodable(request.decoderResult().cause()));
      return;
    }
    encoder.answersHead(request.method().equals(HttpMethod.HEAD));
    Exchange next = new Exchange(this, request);
    exchange = next;
    next.begin();
  }

  /** Answers what is not even a request, and closes. */
  private void refuse(Problem problem) {
    wire.write(Refusals.answer(problem, true));
    wire.flush();
    closeAfterAnswer();
  }

  /** A request is answered, and read to its end. */
  void exchangeOver() {
    exchange = null;
    encoder.answersHead(false);
    idle();
    if (!isReplaying) {
      isReplaying = true;
      try {
        replay();
      } finally {
        isReplaying = false;
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

  /** Whether more may be read. What is here already, or is only looked ahead at, comes first. */
  void read(boolean isRead) {
    wire.read(early.isEmpty() ? isRead : ahead.hasRoom());
    ahead.handOn();
  }

  /** Ends the connection when all that was written is on its way. */
  void closeAfterAnswer() {
    exchange = null;
    state = State.BUSY;
    patience(loop.settings().times().idle());
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener((ChannelFutureListener) written -> closeInOrder());
  }

  /**
   * A close with unread bytes would be a reset, which destroys an answer on its way (RFC 9112,
   * 9.6): first we say that nothing more will come, then we read on for a moment.
   */
  private void closeInOrder() {
    if (state == State.SAID_ALL
        || !channel.isActive()
        || !(channel instanceof DuplexChannel half)) {
      channel.close();
      return;
    }
    state = State.SAID_ALL;
    deadlineNanos = System.nanoTime() + LINGER_NANOS;
    releaseEarly();
    half.shutdownOutput();
    read(true);
  }

  /** Ends the connection so that nobody takes what was sent for the whole of it. */
  void cut() {
    exchange = null;
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    channel.close();
  }

  /** From now on it carries bytes, not messages; false if more came than belongs to it. */
  boolean becomeTunnel() {
    channel.pipeline().remove(RequestDecoder.class);
    channel.pipeline().remove(AnswerEncoder.class);
    return early.isEmpty() && ahead.isEmpty();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
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
  public void channelInactive(ChannelHandlerContext context) {
    loop.remove(this);
    loop.shared().left();
    Exchange left = exchange;
    exchange = null;
    state = State.SAID_ALL;
    releaseEarly();
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
