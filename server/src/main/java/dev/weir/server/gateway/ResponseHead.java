package dev.weir.server.gateway;

import dev.weir.http.problems.Problem;
import dev.weir.rules.Verdict;
import dev.weir.rules.VerdictFields;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/** The head of a response, adapted from the upstream's for the client. */
final class ResponseHead {
  private final RequestHead asked;
  private int status;

  /** Whether the client connection closes after this response. */
  private boolean isLast;

  ResponseHead(RequestHead asked) {
    this.asked = asked;
    isLast = !asked.isKeptAlive();
  }

  /** Returns the status that was sent last, or 0. */
  int status() {
    return status;
  }

  void status(int code) {
    status = code;
  }

  boolean isLast() {
    return isLast;
  }

  void beLast() {
    isLast = true;
  }

  /**
   * Returns an interim response for the client, such as 100 Continue; the final response follows.
   */
  static FullHttpResponse interim(HttpResponse response) {
    ForwardedHeaders.removeHopByHop(response.headers());
    FullHttpResponse bare = bare(response);
    bare.headers().remove(HttpHeaderNames.TRANSFER_ENCODING);
    return bare;
  }

  private static FullHttpResponse bare(HttpResponse response) {
    FullHttpResponse bare = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, response.status());
    bare.headers().set(response.headers());
    return bare;
  }

  /** Adapts the upstream's response for the client. */
  void adapt(HttpResponse response, @Nullable Verdict verdict) {
    status = response.status().code();
    HttpHeaders headers = response.headers();
    boolean isChunked = HttpUtil.isTransferEncodingChunked(response);
    ForwardedHeaders.removeHopByHop(headers);
    response.setProtocolVersion(HttpVersion.HTTP_1_1);
    if (isChunked || (hasBody() && !headers.contains(HttpHeaderNames.CONTENT_LENGTH))) {
      frame(headers);
    }
    describe(headers, verdict);
    persist(headers);
  }

  private boolean hasBody() {
    return !asked.isHead()
        && status != HttpResponseStatus.NO_CONTENT.code()
        && status != HttpResponseStatus.NOT_MODIFIED.code();
  }

  /**
   * Sets the framing of a body of unknown length: chunked, or for HTTP/1.0 clients ended by closing
   * the connection.
   */
  private void frame(HttpHeaders headers) {
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    if (asked.isModern()) {
      headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    } else {
      headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
      isLast = true;
    }
  }

  private void describe(HttpHeaders headers, @Nullable Verdict verdict) {
    headers.set(ForwardedHeaders.REQUEST_ID, asked.requestId());
    headers.add(HttpHeaderNames.VIA, ForwardedHeaders.VIA);
    if (verdict != null) {
      VerdictFields.add(headers::set, verdict);
    }
  }

  private void persist(HttpHeaders headers) {
    if (isLast) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!asked.isModern()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }

  /** Returns the response for the client when the upstream agrees to switch protocols. */
  FullHttpResponse upgrade(HttpResponse response, @Nullable Verdict verdict) {
    status = response.status().code();
    HttpHeaders headers = response.headers();
    ForwardedHeaders.removeHopByHop(headers);
    headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
    headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
    describe(headers, verdict);
    return bare(response);
  }

  /** Returns a response that the gateway sends in place of the upstream's. */
  FullHttpResponse refusal(Problem problem, @Nullable Verdict verdict) {
    status = problem.status();
    FullHttpResponse response = Refusals.response(problem, isLast);
    describe(response.headers(), verdict);
    persist(response.headers());
    return response;
  }
}
