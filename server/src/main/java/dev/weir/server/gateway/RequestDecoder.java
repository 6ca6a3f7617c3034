package dev.weir.server.gateway;

import dev.weir.http.connections.FewHeaders;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.util.List;

/**
 * Decodes requests, and rejects those whose length is ambiguous: ambiguity allows one request to be
 * smuggled inside another.
 */
final class RequestDecoder extends HttpRequestDecoder {
  private final Runnable begun;

  /**
   * Creates a decoder.
   *
   * @param begun called for every piece that arrives
   */
  RequestDecoder(GatewaySettings.Bounds bounds, Runnable begun) {
    super(
        FewHeaders.in(
            new HttpDecoderConfig()
                .setMaxInitialLineLength(bounds.targetBytes())
                .setMaxHeaderSize(bounds.headerBytes())
                .setMaxChunkSize(65_536)));
    this.begun = begun;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out)
      throws Exception {
    begun.run();
    super.decode(context, bytes, out);
  }

  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException(
        "Content-Length and Transfer-Encoding contradict each other");
  }
}
