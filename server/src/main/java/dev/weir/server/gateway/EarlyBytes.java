package dev.weir.server.gateway;

import dev.weir.http.connections.CompactBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Buffers bytes of further requests that a client sends before the response to an earlier one. They
 * are read only to detect whether the client has left.
 *
 * <p>They stay undecoded until it is their turn: decoded, small requests would take many times
 * their memory. Confined to the event loop of its client.
 */
final class EarlyBytes extends ChannelInboundHandlerAdapter {
  /** Memory overhead of a buffer, in addition to its bytes. */
  private static final int PIECE_BYTES = 128;

  private final FlowControlledChannel wire;
  private final LookAhead memory;
  private final BooleanSupplier isTurn;
  private final Runnable inputClosed;
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>(0);

  private @Nullable ChannelHandlerContext context;
  private boolean isHolding;
  private boolean isHandingOn;
  private int portions;
  private long roomBytes;

  /**
   * Creates an empty buffer.
   *
   * @param isTurn whether everything that arrived before these bytes has been processed
   * @param inputClosed called when the client has closed its sending side
   */
  EarlyBytes(
      FlowControlledChannel wire, LookAhead memory, BooleanSupplier isTurn, Runnable inputClosed) {
    this.wire = wire;
    this.memory = memory;
    this.isTurn = isTurn;
    this.inputClosed = inputClosed;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  /** Starts to hold bytes that are read ahead; returns false if there is no memory for them. */
  boolean lookAhead() {
    if (roomBytes <= 0) {
      if (portions * LookAhead.PORTION_BYTES >= LookAhead.MAX_BYTES || !memory.take()) {
        return false;
      }
      portions++;
      roomBytes += LookAhead.PORTION_BYTES;
    }
    isHolding = true;
    return true;
  }

  /** Returns true if more bytes may be read ahead. */
  boolean hasRoom() {
    return isHolding && roomBytes > 0;
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  @Override
  public void channelRead(ChannelHandlerContext here, Object message) {
    if (!isHolding || !(message instanceof ByteBuf bytes)) {
      here.fireChannelRead(message);
      return;
    }
    ByteBuf kept = CompactBuffer.of(bytes);
    held.addLast(kept);
    roomBytes -= kept.capacity() + PIECE_BYTES;
    // While bytes are handed on, the upstream's backpressure decides whether the client is read.
    if (roomBytes <= 0 && !isHandingOn) {
      wire.read(false);
    }
  }

  /** Keeps the event from the decoder, which would drop the bytes that wait for their turn. */
  @Override
  public void userEventTriggered(ChannelHandlerContext here, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      inputClosed.run();
    } else {
      here.fireUserEventTriggered(event);
    }
  }

  /**
   * Schedules the bytes to be handed on if it is their turn. Does not hand them on directly,
   * because the caller may be the decoder that receives them.
   */
  void handOn() {
    if (isHolding && !isHandingOn && mayHandOn() && context != null) {
      isHandingOn = true;
      context.executor().execute(this::handOnNow);
    }
  }

  private boolean mayHandOn() {
    return wire.isRead() && isTurn.getAsBoolean();
  }

  private void handOnNow() {
    ChannelHandlerContext here = context;
    if (here == null) {
      return;
    }
    boolean isAny = false;
    while (!held.isEmpty() && mayHandOn()) {
      here.fireChannelRead(held.removeFirst());
      isAny = true;
    }
    if (isAny) {
      here.fireChannelReadComplete();
    }
    isHandingOn = false;
    if (held.isEmpty()) {
      release();
    } else {
      handOn();
    }
  }

  /** Releases all bytes and returns the memory. Idempotent. */
  void release() {
    held.forEach(ByteBuf::release);
    held.clear();
    memory.giveBack(portions);
    portions = 0;
    roomBytes = 0;
    isHolding = false;
  }
}
