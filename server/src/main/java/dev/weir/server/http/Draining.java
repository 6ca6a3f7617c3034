package dev.weir.server.http;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;

/**
 * Whether this node is shutting down. While it drains, it is not ready, and each response asks to
 * close its connection, so that busy clients leave between two requests instead of during one.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
public final class Draining {
  private volatile boolean begun;

  public void begin() {
    begun = true;
  }

  public boolean begun() {
    return begun;
  }

  @ResponseFilter
  void closeConnection(MutableHttpResponse<?> response) {
    if (begun) {
      response.header(HttpHeaders.CONNECTION, "close");
    }
  }
}
