package dev.weir.server.gateway;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpStatusClass;

/** Writes answers. One connection has one request at a time, so it is told which that is. */
final class ResponseEncoder extends HttpResponseEncoder {
  private boolean isToHead;

  /** Whether the next answer is to HEAD, and has no body whatever its fields say. */
  void answersHead(boolean toHead) {
    isToHead = toHead;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpResponse response) {
    boolean isFinal = response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
    return super.isContentAlwaysEmpty(response) || (isToHead && isFinal);
  }
}
