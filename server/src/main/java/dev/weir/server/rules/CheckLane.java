package dev.weir.server.rules;

import dev.weir.StoreException;
import dev.weir.http.authentication.AllowedHosts;
import dev.weir.http.connections.DateHeader;
import dev.weir.http.json.Json;
import dev.weir.http.problems.Problem;
import dev.weir.rules.Verdict;
import dev.weir.rules.VerdictFields;
import io.micronaut.http.MediaType;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.ReadOnlyHttpHeaders;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The fast path of plain checks: from the decoder to the response, without the router, its filters
 * and its binding, which cost several times as much as a decision in memory.
 *
 * <p>It takes only plain requests that arrive completely in one read, on a connection without
 * another pending response. It passes on all others unchanged, so that everything unusual is
 * answered in one place.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
final class CheckLane extends ChannelInboundHandlerAdapter {
  static final String NAME = "weir-checks";

  private static final String PATH = "/api/v1/check";
  private static final int MAX_BODY_BYTES = 4_096;

  /** The headers of a plain request. Any other header may require a feature of the router. */
  private static final List<AsciiString> ORDINARY =
      List.of(
          HttpHeaderNames.HOST,
          HttpHeaderNames.CONTENT_TYPE,
          HttpHeaderNames.CONTENT_LENGTH,
          HttpHeaderNames.USER_AGENT,
          HttpHeaderNames.ACCEPT,
          HttpHeaderNames.ACCEPT_ENCODING);

  private static final AsciiString JSON = new AsciiString(MediaType.APPLICATION_JSON);
  private static final AsciiString PROBLEM = new AsciiString(Problem.MEDIA_TYPE);

  private static final int MAX_FIELDS = 9;

  /** One in this many checks of a connection is timed; a power of two. */
  private static final int TIMED_ONE_IN = 16;

  private final Checks checks;
  private final DateHeader date;
  private final AllowedHosts own;
  private final BooleanSupplier isOpen;
  private @Nullable HttpRequest held;

  /** Checks so far, confined to the event loop of the connection. */
  private int seen;

  /** The host of the last request taken: a client rarely changes it. */
  private @Nullable String knownHost;

  /**
   * Creates the handler of one connection.
   *
   * @param isOpen returns true if the request just read may be taken
   */
  CheckLane(Checks checks, DateHeader date, AllowedHosts own, BooleanSupplier isOpen) {
    this.checks = checks;
    this.date = date;
    this.own = own;
    this.isOpen = isOpen;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    HttpRequest request = held;
    if (request != null) {
      held = null;
      if (!isAnswered(context, message)) {
        context.fireChannelRead(request);
        context.fireChannelRead(message);
      }
    } else if (message instanceof HttpRequest plain && isPlain(plain) && isOpen.getAsBoolean()) {
      held = plain;
    } else {
      context.fireChannelRead(message);
    }
  }

  /** Passes on a request whose body has not arrived yet; the router waits for it. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    passOn(context);
    context.fireChannelReadComplete();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    passOn(context);
    context.fireChannelInactive();
  }

  private void passOn(ChannelHandlerContext context) {
    HttpRequest request = held;
    if (request != null) {
      held = null;
      context.fireChannelRead(request);
    }
  }

  private boolean isPlain(HttpRequest request) {
    if (!PATH.equals(request.uri())
        || !HttpMethod.POST.equals(request.method())
        || !HttpVersion.HTTP_1_1.equals(request.protocolVersion())
        || request.decoderResult().isFailure()) {
      return false;
    }
    HttpHeaders headers = request.headers();
    for (var each = headers.iteratorCharSequence(); each.hasNext(); ) {
      if (!isOrdinary(each.next().getKey())) {
        return false;
      }
    }
    String accept = headers.get(HttpHeaderNames.ACCEPT);
    int length = headers.getInt(HttpHeaderNames.CONTENT_LENGTH, 0);
    return length > 0
        && length <= MAX_BODY_BYTES
        && isForUs(headers.getAll(HttpHeaderNames.HOST))
        && MediaType.APPLICATION_JSON.equals(headers.get(HttpHeaderNames.CONTENT_TYPE))
        && (accept == null || accept.equals("*/*") || accept.equals(MediaType.APPLICATION_JSON));
  }

  private boolean isForUs(List<String> hosts) {
    if (hosts.size() != 1) {
      return false;
    }
    String host = hosts.getFirst();
    if (!host.equals(knownHost) && own.isOwn(host)) {
      knownHost = host;
    }
    return host.equals(knownHost);
  }

  private static boolean isOrdinary(CharSequence name) {
    for (AsciiString each : ORDINARY) {
      if (each.contentEqualsIgnoreCase(name)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAnswered(ChannelHandlerContext context, Object message) {
    if (!(message instanceof LastHttpContent body)
        || body.decoderResult().isFailure()
        || !body.trailingHeaders().isEmpty()) {
      return false;
    }
    boolean isTimed = (seen++ & (TIMED_ONE_IN - 1)) == 0;
    long begin = isTimed ? System.nanoTime() : 0;
    Checks.@Nullable Quick quick;
    try {
      quick = checks.quick(ByteBufUtil.getBytes(body.content()));
    } catch (StoreException e) {
      // In memory, where these checks are decided, a failed one has taken nothing: the router
      // checks again and reports the problem.
      return false;
    }
    if (quick == null) {
      return false;
    }
    body.release();
    context.writeAndFlush(answer(quick));
    if (isTimed) {
      checks.times().record(System.nanoTime() - begin);
    }
    // A reader that waits for the next request has requested one read, which this request used up.
    context.read();
    return true;
  }

  private FullHttpResponse answer(Checks.Quick quick) {
    boolean isRefused = quick.verdict() instanceof Verdict.Refused;
    byte[] bytes =
        quick.verdict() instanceof Verdict.Refused refused
            ? CheckJson.refusal(quick.request(), refused).toJson()
            : Json.bytes(json -> CheckJson.writeGrant(json, quick.request(), quick.verdict()));
    return new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1,
        isRefused ? HttpResponseStatus.TOO_MANY_REQUESTS : HttpResponseStatus.OK,
        Unpooled.wrappedBuffer(bytes),
        headers(isRefused ? PROBLEM : JSON, bytes.length, quick.verdict()),
        EmptyHttpHeaders.INSTANCE);
  }

  /**
   * Returns the headers in the order that the router writes them. None comes from a client, so they
   * are not validated, and they are passed as the bytes that the encoder copies.
   */
  private HttpHeaders headers(AsciiString contentType, int length, Verdict verdict) {
    List<CharSequence> pairs = new ArrayList<>(2 * MAX_FIELDS);
    pairs.add(HttpHeaderNames.CONTENT_TYPE);
    pairs.add(contentType);
    VerdictFields.add(
        (name, value) -> {
          pairs.add(new AsciiString(name));
          pairs.add(new AsciiString(value));
        },
        verdict);
    pairs.add(HttpHeaderNames.DATE);
    pairs.add(date.now());
    pairs.add(HttpHeaderNames.CONTENT_LENGTH);
    pairs.add(new AsciiString(Integer.toString(length)));
    return new ReadOnlyHttpHeaders(false, pairs.toArray(CharSequence[]::new));
  }
}
