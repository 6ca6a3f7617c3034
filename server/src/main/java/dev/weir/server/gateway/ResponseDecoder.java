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
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
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

  /** Whether the last head that was read belongs to an interim response. */
  private boolean isInterim;

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
    isToHead = toHead;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out)
      throws Exception {
    if (isExpecting) {
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
    return isInterim || isToHead || super.isContentAlwaysEmpty(message);
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
