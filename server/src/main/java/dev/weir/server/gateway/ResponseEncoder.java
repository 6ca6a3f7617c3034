package dev.weir.server.gateway;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpStatusClass;

/**
 * Encodes responses. A connection carries one request at a time, so the method of that request is
 * set here.
 */
final class ResponseEncoder extends HttpResponseEncoder {
  private boolean isToHead;

  /**
   * Sets whether the next response is to HEAD and therefore has no body, whatever its headers
   * announce.
   */
  void respondsToHead(boolean toHead) {
    isToHead = toHead;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpResponse response) {
    boolean isFinal = response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
    return super.isContentAlwaysEmpty(response) || (isToHead && isFinal);
  }
}
