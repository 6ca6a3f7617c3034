package dev.weir.server.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.codec.http2.HttpConversionUtil.ExtensionHeaderNames;
import java.util.List;

/**
 * Decodes HTTP/2 responses, and removes the header fields that Netty adds for what HTTP/1.1 cannot
 * express, such as the stream id.
 */
final class Http2ResponseCodec extends Http2StreamFrameToHttpObjectCodec {
  private static final ExtensionHeaderNames[] ADDED = ExtensionHeaderNames.values();

  Http2ResponseCodec() {
    super(false);
  }

  @Override
  protected void decode(ChannelHandlerContext context, Http2StreamFrame frame, List<Object> out)
      throws Exception {
    int before = out.size();
    super.decode(context, frame, out);
    for (Object message : out.subList(before, out.size())) {
      if (message instanceof HttpMessage head) {
        removeAdded(head.headers());
      }
      if (message instanceof LastHttpContent last && !last.trailingHeaders().isEmpty()) {
        removeAdded(last.trailingHeaders());
      }
    }
  }

  private static void removeAdded(HttpHeaders headers) {
    for (ExtensionHeaderNames name : ADDED) {
      headers.remove(name.text());
    }
  }
}
