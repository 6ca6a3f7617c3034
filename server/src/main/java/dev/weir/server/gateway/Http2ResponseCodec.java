package dev.weir.server.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.codec.http2.HttpConversionUtil.ExtensionHeaderNames;
import java.io.IOException;
import java.util.List;

/**
 * Decodes HTTP/2 responses, and removes the header fields that Netty adds for what HTTP/1.1 cannot
 * express, such as the stream id.
 *
 * <p>Netty lets a response announce a body and end without a byte of it, as that may be the
 * response to HEAD. Where it is not, this decoder marks the end as broken: the client would take
 * the beginning of its next response for the body.
 */
final class Http2ResponseCodec extends Http2StreamFrameToHttpObjectCodec {
  private static final ExtensionHeaderNames[] ADDED = ExtensionHeaderNames.values();

  private boolean isToHead;

  /** Whether the response has announced a body of which nothing has arrived. */
  private boolean isBodyOwed;

  Http2ResponseCodec() {
    super(false);
  }

  @Override
  protected void encode(ChannelHandlerContext context, HttpObject message, List<Object> out)
      throws Exception {
    if (message instanceof HttpRequest request) {
      isToHead = request.method().equals(HttpMethod.HEAD);
    }
    super.encode(context, message, out);
  }

  @Override
  protected void decode(ChannelHandlerContext context, Http2StreamFrame frame, List<Object> out)
      throws Exception {
    int before = out.size();
    super.decode(context, frame, out);
    for (Object message : out.subList(before, out.size())) {
      if (message instanceof HttpMessage head) {
        removeAdded(head.headers());
        isBodyOwed = announcesBody(head);
      }
      if (message instanceof HttpContent part && part.content().isReadable()) {
        isBodyOwed = false;
      }
      if (message instanceof LastHttpContent last) {
        ended(last);
      }
    }
  }

  private boolean announcesBody(HttpMessage head) {
    return !isToHead
        && head instanceof HttpResponse response
        && response.status().codeClass() != HttpStatusClass.INFORMATIONAL
        && !response.status().equals(HttpResponseStatus.NO_CONTENT)
        && !response.status().equals(HttpResponseStatus.NOT_MODIFIED)
        && HttpUtil.getContentLength(response, 0L) > 0;
  }

  private void ended(LastHttpContent last) {
    if (!last.trailingHeaders().isEmpty()) {
      removeAdded(last.trailingHeaders());
    }
    if (isBodyOwed) {
      last.setDecoderResult(DecoderResult.failure(new IOException("the body is missing")));
    }
  }

  private static void removeAdded(HttpHeaders headers) {
    for (ExtensionHeaderNames name : ADDED) {
      headers.remove(name.text());
    }
  }
}
