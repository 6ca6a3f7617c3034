package dev.weir.server.gateway;

import dev.weir.http.problems.Problem;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.routes.internal.RouteTable;
import dev.weir.rules.matching.AmbiguousPathException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Set;

/** The head of a request: its properties, and the head that is forwarded. */
final class RequestHead {
  /** Methods that may be sent twice (RFC 9110, 9.2.2). */
  private static final Set<HttpMethod> IDEMPOTENT =
      Set.of(
          HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.PUT, HttpMethod.DELETE);

  private final HttpRequest request;
  private final ForwardedHeaders forwardedHeaders;
  private final String requestId;
  private final boolean isModern;
  private final boolean isKeptAlive;
  private final long announcedBytes;
  private final boolean isBodiless;
  private final boolean isUpgrade;
  private final boolean expectsContinue;

  RequestHead(HttpRequest request, ForwardedHeaders forwardedHeaders) {
    this.request = request;
    this.forwardedHeaders = forwardedHeaders;
    HttpHeaders headers = request.headers();
    requestId = forwardedHeaders.requestId(headers);
    isModern = request.protocolVersion().equals(HttpVersion.HTTP_1_1);
    isKeptAlive = HttpUtil.isKeepAlive(request);
    announcedBytes = HttpUtil.getContentLength(request, 0L);
    isBodiless = announcedBytes == 0 && !headers.contains(HttpHeaderNames.TRANSFER_ENCODING);
    // Other upgrades, such as h2c, would let everything that follows bypass the rules.
    isUpgrade =
        isModern
            && isBodiless
            && request.method().equals(HttpMethod.GET)
            && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
            && headers.contains(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
    expectsContinue = headers.contains(HttpHeaderNames.EXPECT);
  }

  /** The result of reading a request head. */
  sealed interface Reading {
    /** The request can be evaluated and forwarded; its head has been rewritten for the upstream. */
    record Valid(GatewayRequest request, RouteSpec route) implements Reading {}

    /**
     * The request is answered by the gateway and not forwarded.
     *
     * @param isEndKnown whether the data that follows it on the connection can be read
     */
    record Invalid(Problem problem, boolean isEndKnown) implements Reading {}
  }

  Reading read(RouteTable routes) {
    HttpMethod method = request.method();
    if (request.protocolVersion().majorVersion() != 1) {
      return endless(505, "version-not-supported", "Only HTTP/1.1 and 1.0 are supported.");
    }
    if (!isFramed()) {
      return endless(400, "bad-request", "The only supported transfer encoding is chunked.");
    }
    if (isNamed(method, HttpMethod.CONNECT) || isNamed(method, HttpMethod.TRACE)) {
      return invalid(405, "method-not-allowed", "The method " + method + " is not forwarded.");
    }
    Target target;
    try {
      target = Target.of(request.uri());
    } catch (AmbiguousPathException e) {
      return invalid(400, "ambiguous-path", "Refused, because " + e.getMessage() + ".");
    }
    if (target.isServerWide() && !isNamed(method, HttpMethod.OPTIONS)) {
      return invalid(400, "bad-request", "The target * is only for OPTIONS.");
    }
    if (!hasHost(target)) {
      return invalid(400, "bad-request", "There must be one valid host.");
    }
    RouteSpec route = routes.find(target.path());
    return route == null ? new Reading.Invalid(Refusals.NO_ROUTE, true) : toSend(target, route);
  }

  /** Compares method names ignoring case, because an upstream may do the same. */
  private static boolean isNamed(HttpMethod method, HttpMethod known) {
    return method.name().equalsIgnoreCase(known.name());
  }

  private static Reading invalid(int status, String kind, String detail) {
    return new Reading.Invalid(Problem.of(status, kind, detail), true);
  }

  /**
   * Returns the result for a request without a reliable end: its body could be mistaken for the
   * next request.
   */
  private static Reading endless(int status, String kind, String detail) {
    return new Reading.Invalid(Problem.of(status, kind, detail), false);
  }

  private boolean isFramed() {
    HttpHeaders headers = request.headers();
    return !headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
        || (isModern && ForwardedHeaders.isOnlyChunked(headers));
  }

  /**
   * Returns true if the request has one valid host. The host of an absolute target takes precedence
   * (RFC 9112, 3.2.2).
   */
  private boolean hasHost(Target target) {
    HttpHeaders headers = request.headers();
    int hosts = headers.getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1 || (hosts == 0 && isModern)) {
      return false;
    }
    if (!target.authority().isEmpty()) {
      headers.set(HttpHeaderNames.HOST, target.authority());
    }
    String host = headers.get(HttpHeaderNames.HOST);
    return host == null || Target.isHost(host);
  }

  private Reading toSend(Target target, RouteSpec route) {
    HttpHeaders headers = request.headers();
    if (!headers.contains(HttpHeaderNames.HOST)) {
      headers.set(HttpHeaderNames.HOST, route.upstream().authority());
    }
    String address = forwardedHeaders.client(headers);
    ForwardedHeaders.removeHopByHop(headers);
    if (isUpgrade && !route.upstream().protocol().isMultiplexed()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
      headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
    }
    forwardedHeaders.describe(request, requestId);
    request.setUri(target.sent()).setProtocolVersion(HttpVersion.HTTP_1_1);
    return new Reading.Valid(
        new GatewayRequest(request.method().name(), target.path(), address, headers), route);
  }

  /** Returns the request, whose head {@link #read} rewrites for the upstream. */
  HttpRequest head() {
    return request;
  }

  String requestId() {
    return requestId;
  }

  /** Returns true if the client speaks HTTP/1.1. */
  boolean isModern() {
    return isModern;
  }

  /** Returns true if the client may send more requests on the same connection. */
  boolean isKeptAlive() {
    return isKeptAlive;
  }

  boolean isHead() {
    return request.method().equals(HttpMethod.HEAD);
  }

  /** Returns the announced length of the body; 0 also for a chunked body. */
  long announcedBytes() {
    return announcedBytes;
  }

  /**
   * Returns true if the request may be sent a second time: its method is idempotent and it has no
   * body.
   */
  boolean isRepeatable() {
    return isBodiless && IDEMPOTENT.contains(request.method());
  }

  /** Returns true if the request asks for a WebSocket. */
  boolean isUpgrade() {
    return isUpgrade;
  }

  /** Returns true if the client may be waiting for permission to send the body. */
  boolean expectsContinue() {
    return expectsContinue;
  }
}
