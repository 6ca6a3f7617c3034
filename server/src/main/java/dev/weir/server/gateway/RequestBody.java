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

  void sendHeld(Wire upstream) {
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
