package dev.weir.server.gateway;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;

/** The body of a request, as far as it has come. */
final class RequestBody {
  /** So much of a body is read that nobody wants, so that the connection can be used again. */
  private static final int MOST_UNWANTED_BYTES = 1 << 20;

  private final long announcedBytes;

  /** What came before there was anybody to take it. */
  private final ArrayDeque<HttpContent> held = new ArrayDeque<>(0);

  private long arrivedBytes;
  private long unwantedBytes;
  private boolean isWhole;

  /** What may be read ahead by now, and for how many portions of it there is memory. */
  private long aheadBytes;

  private int portions;

  RequestBody(long announcedBytes) {
    this.announcedBytes = announcedBytes;
  }

  void arrived(HttpContent piece) {
    arrivedBytes += piece.content().readableBytes();
    if (piece instanceof LastHttpContent last) {
      isWhole = true;
      // Where upstreams would mix them with the header, they could say what the header may not.
      if (!last.trailingHeaders().isEmpty()) {
        last.trailingHeaders().clear();
      }
    }
  }

  /** Whether no more of it is to come. */
  boolean isWhole() {
    return isWhole;
  }

  /** Nothing more of it can be read. */
  void end() {
    isWhole = true;
  }

  void hold(HttpContent piece) {
    held.addLast(piece);
  }

  /** Returns true if a portion more may be read ahead. */
  boolean lookAhead(LookAhead memory) {
    if (portions * LookAhead.PORTION_BYTES >= LookAhead.MAX_BYTES || !memory.take()) {
      return false;
    }
    portions++;
    aheadBytes += LookAhead.PORTION_BYTES;
    return true;
  }

  /** Returns true if more may be read although nobody has taken this piece. */
  boolean isAhead(HttpContent piece) {
    if (aheadBytes <= 0) {
      return false;
    }
    aheadBytes -= piece.content().readableBytes();
    return true;
  }

  /** The request is over. Twice is harmless. */
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

  /** Nobody wants this piece. */
  void discard(HttpContent piece) {
    unwantedBytes += piece.content().readableBytes();
    piece.release();
  }

  /** Whether more has come in vain than is worth it. */
  boolean isDiscardedEnough() {
    return unwantedBytes > MOST_UNWANTED_BYTES;
  }

  /** Whether more is known to come than would be read in vain. */
  boolean isLong() {
    return !isWhole && announcedBytes - arrivedBytes > MOST_UNWANTED_BYTES;
  }
}
