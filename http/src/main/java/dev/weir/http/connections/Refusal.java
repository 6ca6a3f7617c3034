package dev.weir.http.connections;

import dev.weir.http.problems.Problem;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** Why a connection refuses the request that it is receiving, and ends. */
enum Refusal {
  SLOW_HEAD(Problem.of(408, "request-timeout", "The head of the request did not arrive in time.")),
  SLOW_BODY(Problem.of(408, "request-timeout", "The body of the request arrives too slowly.")),
  NO_MEMORY(
      Problem.of(
          503,
          "busy",
          "The requests in progress leave no memory for this one. Nothing was done; try again."));

  private final int status;
  private final String body;

  Refusal(Problem problem) {
    this.status = problem.status();
    this.body = new String(problem.toJson(), StandardCharsets.UTF_8);
  }

  FullHttpResponse response() {
    ByteBuf bytes = Unpooled.copiedBuffer(body, StandardCharsets.UTF_8);
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), bytes);
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .set(HttpHeaderNames.CONTENT_LENGTH, bytes.readableBytes())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }
}
