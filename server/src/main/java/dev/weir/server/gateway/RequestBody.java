package dev.weir.server.gateway;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;

/** The body of a request, as far as it has arrived. */
final class RequestBody {
  /** Max bytes of an unwanted body that are read and discarded to keep the connection reusable. */
  private static final int MAX_UNWANTED_BYTES = 1 << 20;

  private final long announcedBytes;

  /** Pieces that arrived before an upstream connection could take them. */
  private final ArrayDeque<HttpContent> held = new ArrayDeque<>(0);

  private long arrivedBytes;
  private long unwantedBytes;
  private boolean isWhole;

  /** Bytes that may still be read ahead, and the number of memory portions taken for them. */
  private long aheadBytes;

  private int portions;

  RequestBody(long announcedBytes) {
    this.announcedBytes = announcedBytes;
  }

  void arrived(HttpContent piece) {
    arrivedBytes += piece.content().readableBytes();
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

  void hold(HttpContent piece) {
    held.addLast(piece);
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
