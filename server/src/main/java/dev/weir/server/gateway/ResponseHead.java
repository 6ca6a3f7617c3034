package dev.weir.server.gateway;

import dev.weir.engine.rules.RateLimitFields;
import dev.weir.engine.rules.Verdict;
import dev.weir.server.http.Problem;
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

/** The head of an answer: what an upstream says, as its client is to hear it. */
final class ResponseHead {
  private final RequestHead asked;
  private int status;

  /** Whether the connection of the client ends with this answer. */
  private boolean isLast;

  ResponseHead(RequestHead asked) {
    this.asked = asked;
    isLast = !asked.isKeptAlive();
  }

  /** The one that was sent last, or 0. */
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

  /** Such as 100 Continue: the answer is yet to come. */
  static FullHttpResponse interim(HttpResponse answer) {
    ForwardedHeaders.removeHopByHop(answer.headers());
    FullHttpResponse bare = bare(answer);
    bare.headers().remove(HttpHeaderNames.TRANSFER_ENCODING);
    return bare;
  }

  private static FullHttpResponse bare(HttpResponse answer) {
    FullHttpResponse bare = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, answer.status());
    bare.headers().set(answer.headers());
    return bare;
  }

  /** Makes an upstream's answer one for the client. */
  void adapt(HttpResponse answer, @Nullable Verdict verdict) {
    status = answer.status().code();
    HttpHeaders headers = answer.headers();
    boolean isChunked = HttpUtil.isTransferEncodingChunked(answer);
    ForwardedHeaders.removeHopByHop(headers);
    answer.setProtocolVersion(HttpVersion.HTTP_1_1);
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

  /** A body whose length is not known ends with its chunks, or for old clients with all. */
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
      RateLimitFields.add(headers::set, verdict);
    }
  }

  private void persist(HttpHeaders headers) {
    if (isLast) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!asked.isModern()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }

  /** The upstream agrees to speak another protocol. */
  FullHttpResponse upgrade(HttpResponse answer, @Nullable Verdict verdict) {
    status = answer.status().code();
    HttpHeaders headers = answer.headers();
    ForwardedHeaders.removeHopByHop(headers);
    headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
    headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
    describe(headers, verdict);
    return bare(answer);
  }

  /** An answer in place of the upstream's. */
  FullHttpResponse refusal(Problem problem, @Nullable Verdict verdict) {
    status = problem.status();
    FullHttpResponse answer = Refusals.answer(problem, isLast);
    describe(answer.headers(), verdict);
    persist(answer.headers());
    return answer;
  }
}
