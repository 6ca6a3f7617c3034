package dev.weir.server.gateway;

import dev.weir.http.connections.EmptyLines;
import dev.weir.http.connections.FewHeaders;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * Decodes requests one at a time, and rejects those whose length is ambiguous: ambiguity allows one
 * request to be smuggled inside another.
 *
 * <p>Further requests stay bytes until it is their turn: decoded, small ones take many times their
 * memory. To announce that the turn has come, pass an empty buffer through the decoder.
 */
final class RequestDecoder extends HttpRequestDecoder {
  private final Turns turns;

  /** Whether a part of a request has been decoded, and not all of it. */
  private boolean isBegun;

  /** Bytes of the request that has begun, as far as they are decoded. */
  private long decodedBytes;

  /** Says whether a next request may be decoded. */
  interface Turns {
    boolean isTurn();

    /** Called when a part of a request is decoded. */
    void begun();

    /** Called when bytes of a next request have arrived before their turn. */
    void early();
  }

  RequestDecoder(GatewaySettings.Bounds bounds, Turns turns) {
    super(
        FewHeaders.in(
            new HttpDecoderConfig()
                .setMaxInitialLineLength(bounds.targetBytes())
                .setMaxHeaderSize(bounds.headerBytes())
                .setMaxChunkSize(65_536)));
    this.turns = turns;
  }

  /** Returns true if bytes of a next request wait for their turn. */
  boolean isHolding() {
    return !isBegun && waitingBytes() > 0;
  }

  /** Returns the number of bytes that are not decoded yet. */
  int waitingBytes() {
    return actualReadableBytes();
  }

  /** Returns the number of bytes of the request that has begun, decoded or not. */
  long begunBytes() {
    return decodedBytes + waitingBytes();
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out)
      throws Exception {
    if (!isBegun && !turns.isTurn()) {
      turns.early();
      return;
    }
    if (!isBegun && !EmptyLines.skip(bytes)) {
      return;
    }
    turns.begun();
    int known = out.size();
    int before = bytes.readableBytes();
    super.decode(context, bytes, out);
    isBegun = true;
    decodedBytes += before - bytes.readableBytes();
    for (int i = known; i < out.size(); i++) {
      if (out.get(i) instanceof LastHttpContent || isBroken(out.get(i))) {
        isBegun = false;
        decodedBytes = 0;
      }
    }
  }

  /** Returns true for a request that cannot be decoded: the decoder passes on no end of it. */
  private static boolean isBroken(Object message) {
    return message instanceof HttpRequest request && request.decoderResult().isFailure();
  }

  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException(
        "Content-Length and Transfer-Encoding contradict each other");
  }
}
