package dev.weir.http.connections;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Decodes requests one at a time. Further requests stay bytes until it is their turn: decoded, they
 * would all be served at once, and small ones take many times their memory.
 *
 * <p>To announce that the turn has come, pass an empty buffer through the codec. Confined to the
 * event loop of its connection.
 */
final class TurnCodec extends CombinedChannelDuplexHandler<TurnCodec.Decoder, TurnCodec.Encoder> {
  private final Decoder decoder;

  /**
   * Creates a codec.
   *
   * @param isTurn returns true if a next request may be decoded
   */
  TurnCodec(HttpDecoderConfig config, BooleanSupplier isTurn) {
    Exchange exchange = new Exchange();
    decoder = new Decoder(config, isTurn, exchange);
    init(decoder, new Encoder(exchange));
  }

  /** Returns the number of bytes that are not decoded yet. */
  int waitingBytes() {
    return decoder.waitingBytes();
  }

  /** Returns true if a part of a request has been decoded, and not all of it. */
  boolean isBegun() {
    return decoder.isBegun;
  }

  /** Returns the number of bytes of the request that has begun, decoded or not. */
  long begunBytes() {
    return decoder.begunBytes + waitingBytes();
  }

  /** Returns true if bytes of a next request wait for their turn. */
  boolean isHolding() {
    return isNextWaiting() && !decoder.isTurn.getAsBoolean();
  }

  /** Returns true if bytes of a next request have waited for their turn, and it has come. */
  boolean isReady() {
    return isNextWaiting() && decoder.isTurn.getAsBoolean();
  }

  private boolean isNextWaiting() {
    return !decoder.isBegun && waitingBytes() > 0;
  }

  /** Returns true for an interim response such as 100 Continue: the final one follows. */
  static boolean isInterim(Object message) {
    return message instanceof HttpResponse response
        && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
  }

  /** What the encoder has to know of the request. */
  private static final class Exchange {
    private HttpMethod method = HttpMethod.GET;

    /** Whether the length of the request was ambiguous, so that nothing behind it is read. */
    private boolean isLast;
  }

  static final class Decoder extends HttpRequestDecoder {
    private final BooleanSupplier isTurn;
    private final Exchange exchange;
    private boolean isBegun;
    private long begunBytes;

    private Decoder(HttpDecoderConfig config, BooleanSupplier isTurn, Exchange exchange) {
      super(config);
      this.isTurn = isTurn;
      this.exchange = exchange;
    }

    private int waitingBytes() {
      return actualReadableBytes();
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out)
        throws Exception {
      if (!isBegun && !isTurn.getAsBoolean()) {
        return;
      }
      if (!isBegun && !EmptyLines.skip(bytes)) {
        return;
      }
      int known = out.size();
      int before = bytes.readableBytes();
      super.decode(context, bytes, out);
      isBegun = true;
      begunBytes += before - bytes.readableBytes();
      for (int i = known; i < out.size(); i++) {
        Object message = out.get(i);
        if (message instanceof HttpRequest request) {
          exchange.method = request.method();
        }
        if (message instanceof LastHttpContent || isBroken(message)) {
          isBegun = false;
          begunBytes = 0;
        }
      }
    }

    /** Returns true for a request that cannot be decoded: the decoder passes on no end of it. */
    private static boolean isBroken(Object message) {
      return message instanceof HttpRequest request && request.decoderResult().isFailure();
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
      super.handleTransferEncodingChunkedWithContentLength(message);
      exchange.isLast = true;
    }
  }

  static final class Encoder extends HttpResponseEncoder {
    private final Exchange exchange;

    private Encoder(Exchange exchange) {
      this.exchange = exchange;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
        throws Exception {
      boolean isEnd = message instanceof LastHttpContent && !isInterim(message);
      if (isEnd && exchange.isLast) {
        exchange.isLast = false;
        super.write(context, message, promise.unvoid().addListener(ChannelFutureListener.CLOSE));
      } else {
        super.write(context, message, promise);
      }
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
      return exchange.method.equals(HttpMethod.HEAD) || super.isContentAlwaysEmpty(response);
    }
  }
}
