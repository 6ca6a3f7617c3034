package dev.weir.server.gateway;

import dev.weir.http.problems.Problem;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;

/** The responses that the gateway sends itself. */
final class Refusals {
  static final Problem NO_ROUTE = Problem.of(404, "no-route", "There is no route for this path.");

  static final Problem BROKEN_BODY =
      Problem.of(400, "bad-request", "The body is not chunked as its headers say.");

  static final Problem EARLY_BYTES =
      Problem.of(
          400, "bad-request", "Data arrived before the upstream had agreed to switch protocols.");

  static final Problem SLOW_BODY =
      Problem.of(408, "request-timeout", "The rest of the request did not arrive in time.");

  static final Problem BUSY =
      Problem.of(
          503,
          "busy",
          "The requests in progress leave no memory for this one; it was not forwarded, try again"
              + " soon.");

  static final Problem UNREACHABLE =
      Problem.of(502, "upstream-unreachable", "The gateway cannot connect to the upstream.");

  static final Problem NO_TLS =
      Problem.of(
          502,
          "upstream-unreachable",
          "The upstream accepts connections, but TLS failed: the gateway's log has the reason.");

  static final Problem BROKEN_OFF =
      Problem.of(502, "upstream-failed", "The upstream closed the connection without a response.");

  static final Problem UNREADABLE =
      Problem.of(502, "upstream-failed", "The upstream's response is not valid HTTP.");

  static final Problem NO_CONNECTION =
      Problem.of(504, "upstream-timeout", "The upstream did not accept a connection in time.");

  static final Problem NO_RESPONSE =
      Problem.of(504, "upstream-timeout", "The upstream did not respond in time.");

  private Refusals() {}

  /** Returns the problem for input that could not be decoded as a request. */
  static Problem undecodable(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return Problem.of(414, "uri-too-long", "The request line is too long.");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return Problem.of(431, "headers-too-large", "The headers are too large.");
    }
    return Problem.of(400, "bad-request", "The request is not valid HTTP.");
  }

  static FullHttpResponse response(Problem problem, boolean isLast) {
    byte[] body = problem.toJson();
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            new HttpResponseStatus(problem.status(), problem.title()),
            Unpooled.wrappedBuffer(body));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    if (isLast) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    return response;
  }
}
