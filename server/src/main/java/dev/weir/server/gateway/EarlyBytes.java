package dev.weir.server.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of further requests that a client sends before the answer to an earlier one, as far as
 * they are read only to see whether the client has left.
 *
 * <p>They stay bytes until it is their turn: decoded, small requests would take many times their
 * memory. Belongs to the event loop of its client.
 */
final class EarlyBytes extends ChannelInboundHandlerAdapter {
  /** What a piece costs beside its bytes. */
  private static final int PIECE_BYTES = 128;

  private final Wire wire;
  private final LookAhead memory;
  private final BooleanSupplier isTurn;
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>(0);

  private @Nullable ChannelHandlerContext context;
  private boolean isHolding;
  private boolean isHandingOn;
  private int portions;
  private long roomBytes;

  /**
   * @param isTurn whether all that came before these bytes is taken
   */
  EarlyBytes(Wire wire, LookAhead memory, BooleanSupplier isTurn) {
    this.wire = wire;
    this.memory = memory;
    this.isTurn = isTurn;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  /** Returns true if bytes may be read ahead from now on, because there is memory for them. */
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

  /** Returns true if more bytes may be read before it is their turn. */
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
    ByteBuf kept = compact(bytes);
    held.addLast(kept);
    roomBytes -= kept.capacity() + PIECE_BYTES;
    // While they are handed on, this is backpressure of the upstream's, and not for us to decide.
    if (roomBytes <= 0 && !isHandingOn) {
      wire.read(false);
    }
  }

  /** A client that sends single bytes would otherwise have a whole buffer kept for each. */
  private static ByteBuf compact(ByteBuf bytes) {
    if (bytes.readableBytes() * 4L > bytes.capacity() * 3L) {
      return bytes;
    }
    ByteBuf copy = bytes.alloc().buffer(bytes.readableBytes()).writeBytes(bytes);
    bytes.release();
    return copy;
  }

  /**
   * Hands the bytes on as soon as it is their turn. Not now, because the decoder that gets them may
   * be the caller.
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

  /** Forgets all. Twice is harmless. */
  void release() {
    held.forEach(ByteBuf::release);
    held.clear();
    memory.giveBack(portions);
    portions = 0;
    roomBytes = 0;
    isHolding = false;
  }
}
