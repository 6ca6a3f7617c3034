package dev.weir.server.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import java.util.List;

/** Encodes requests, and announces each of them to the decoder of the responses. */
final class RequestEncoder extends HttpRequestEncoder {
  private final ResponseDecoder decoder;

  RequestEncoder(ResponseDecoder decoder) {
    this.decoder = decoder;
  }

  @Override
  protected void encode(ChannelHandlerContext context, Object message, List<Object> out)
      throws Exception {
    if (message instanceof HttpRequest request) {
      decoder.expect(request.method().equals(HttpMethod.HEAD));
    }
    super.encode(context, message, out);
  }
}
