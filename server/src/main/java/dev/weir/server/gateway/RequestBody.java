package dev.weir.server.gateway;

import dev.weir.http.connections.BodyDeadline;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;

/** The body of a request, as far as it has arrived. */
final class RequestBody {
  /** Max bytes of an unwanted body that are read and discarded to keep the connection reusable. */
  private static final int MAX_UNWANTED_BYTES = 1 << 20;

  /**
   * Max bytes that are read from a client before it has a connection to its upstream: a body of up
   * to this size is complete by then.
   */
  private static final int MAX_COLLECTED_BYTES = 16 * 1024;

  /** Smaller pieces are copied when they are held: each would keep a whole read buffer. */
  private static final int SMALL_BYTES = 1_024;

  private final long announcedBytes;
  private final BodyDeadline deadline;

  /** Pieces that arrived before an upstream connection could take them. */
  private final ArrayDeque<HttpContent> held = new ArrayDeque<>(0);

  /** Whether the last held piece is a copy, which others may be added to. */
  private boolean isLastOwn;

  private long arrivedBytes;
  private long unwantedBytes;
  private boolean isWhole;

  /** Bytes that may still be read ahead, and the number of memory portions taken for them. */
  private long aheadBytes;

  private int portions;

  RequestBody(long announcedBytes, BodyDeadline deadline) {
    this.announcedBytes = announcedBytes;
    this.deadline = deadline;
  }

  /** Returns the time until which more of the body has to arrive. */
  BodyDeadline deadline() {
    return deadline;
  }

  /** Returns true if there is something to send to the upstream. */
  boolean isBegun() {
    return isWhole || arrivedBytes > 0;
  }

  /** Returns true if more may be read before there is a connection that can take it. */
  boolean mayCollect() {
    return arrivedBytes < MAX_COLLECTED_BYTES;
  }

  void arrived(HttpContent piece) {
    int bytes = piece.content().readableBytes();
    arrivedBytes += bytes;
    deadline.arrived(bytes, System.nanoTime());
    if (piece instanceof LastHttpContent last) {
      isWhole = true;
      // An upstream that merges trailers into the headers would accept forbidden headers this way.
      if (!last.trailingHeaders().isEmpty()) {
        last.trailingHeaders().clear();
      }
    }
  }

  /** Returns true if no more of the body is expected. */
  boolean isWhole() {
    return isWhole;
  }

  /** Marks the body as ended: nothing more of it can be read. */
  void end() {
    isWhole = true;
  }

  /** Holds a piece until it can be sent. Small pieces are copied into one buffer. */
  void hold(HttpContent piece) {
    int bytes = piece.content().readableBytes();
    if (piece instanceof LastHttpContent || bytes >= SMALL_BYTES) {
      held.addLast(piece);
      isLastOwn = false;
      return;
    }
    HttpContent last = held.peekLast();
    if (last == null || !isLastOwn || last.content().writableBytes() < bytes) {
      last = new DefaultHttpContent(piece.content().alloc().buffer(SMALL_BYTES));
      held.addLast(last);
      isLastOwn = true;
    }
    last.content().writeBytes(piece.content());
    piece.release();
  }

  /** Allows one more portion to be read ahead; returns false if that is not possible. */
  boolean lookAhead(LookAhead memory) {
    if (portions * LookAhead.PORTION_BYTES >= LookAhead.MAX_BYTES || !memory.take()) {
      return false;
    }
    portions++;
    aheadBytes += LookAhead.PORTION_BYTES;
    return true;
  }

  /**
   * Charges this piece to the read-ahead budget; returns true if more may be read before the piece
   * is taken.
   */
  boolean isAhead(HttpContent piece) {
    if (aheadBytes <= 0) {
      return false;
    }
    aheadBytes -= piece.content().readableBytes();
    return true;
  }

  /** Returns the read-ahead memory when the request is over. Idempotent. */
  void giveBack(LookAhead memory) {
    memory.giveBack(portions);
    portions = 0;
    aheadBytes = 0;
  }

  void sendHeld(FlowControlledChannel upstream) {
    while (!held.isEmpty()) {
      upstream.write(held.removeFirst());
    }
  }

  void releaseHeld() {
    held.forEach(ReferenceCountUtil::release);
    held.clear();
  }

  /** Counts and releases an unwanted piece. */
  void discard(HttpContent piece) {
    unwantedBytes += piece.content().readableBytes();
    piece.release();
  }

  /** Returns true if more has been discarded than keeping the connection is worth. */
  boolean isDiscardedEnough() {
    return unwantedBytes > MAX_UNWANTED_BYTES;
  }

  /** Returns true if the rest of the body is known to exceed what would be discarded. */
  boolean isLong() {
    return !isWhole && announcedBytes - arrivedBytes > MAX_UNWANTED_BYTES;
  }
}
