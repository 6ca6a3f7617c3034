package dev.weir.server.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.util.List;

/**
 * Decodes responses, exactly one for each request. Bytes that belong to no response are not decoded
 * but replaced by {@link Surplus}: the next request would take them for its response.
 */
final class ResponseDecoder extends HttpResponseDecoder {
  /** Passed on in place of bytes that belong to no response. */
  enum Surplus {
    BYTES
  }

  private boolean isExpecting;
  private boolean isToHead;

  /** Whether a byte has arrived since the request was sent. */
  private boolean hasBegun;

  /** Whether the last head that was read belongs to an interim response. */
  private boolean isInterim;

  /** Whether the response ends with the connection. */
  private boolean isUntilClose;

  /** Whether the connection has failed, rather than been closed in order. */
  private boolean hasFailed;

  ResponseDecoder(GatewaySettings.Bounds bounds) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(bounds.targetBytes())
            .setMaxHeaderSize(bounds.headerBytes())
            .setMaxChunkSize(65_536));
  }

  /**
   * Starts to expect the response to a request.
   *
   * @param toHead whether the request is a HEAD, whose response has no body, whatever its headers
   *     announce
   */
  void expect(boolean toHead) {
    isExpecting = true;
    hasBegun = false;
    isToHead = toHead;
  }

  /** Returns true if a byte of the response has arrived, even if it is not a whole head. */
  boolean hasBegun() {
    return hasBegun;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out)
      throws Exception {
    if (isExpecting) {
      hasBegun = true;
      int before = out.size();
      super.decode(context, bytes, out);
      isExpecting = out.size() == before || !isEnd(out.getLast());
    }
    if (!isExpecting && bytes.isReadable()) {
      bytes.skipBytes(bytes.readableBytes());
      out.add(Surplus.BYTES);
    }
  }

  private boolean isEnd(Object message) {
    return !isInterim && message instanceof LastHttpContent;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    refuseReuseIfAmbiguous(message);
    isInterim =
        message instanceof HttpResponse response
            && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    boolean isEmpty = isInterim || isToHead || super.isContentAlwaysEmpty(message);
    isUntilClose =
        !isEmpty
            && !HttpUtil.isTransferEncodingChunked(message)
            && !HttpUtil.isContentLengthSet(message);
    return isEmpty;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
    hasFailed = true;
    super.exceptionCaught(context, cause);
  }

  /** Takes a close without TLS's word for it for a failure (RFC 9112, 9.8). */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event instanceof SslCloseCompletionEvent closed && !closed.isSuccess()) {
      hasFailed = true;
    }
    super.userEventTriggered(context, event);
  }

  /** Leaves a response without an end if the connection that would have been its end has failed. */
  @Override
  protected void decodeLast(ChannelHandlerContext context, ByteBuf bytes, List<Object> out)
      throws Exception {
    if (hasFailed && isUntilClose) {
      bytes.skipBytes(bytes.readableBytes());
    } else {
      super.decodeLast(context, bytes, out);
    }
  }

  /**
   * Marks the connection to be closed after a response whose end the upstream may see elsewhere
   * (RFC 9112, 6.1).
   */
  private static void refuseReuseIfAmbiguous(HttpMessage message) {
    HttpHeaders headers = message.headers();
    if (headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
        && (headers.contains(HttpHeaderNames.CONTENT_LENGTH)
            || !message.protocolVersion().equals(HttpVersion.HTTP_1_1))) {
      headers.add(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
  }
}
