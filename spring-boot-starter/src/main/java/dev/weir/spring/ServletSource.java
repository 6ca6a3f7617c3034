package dev.weir.spring;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;

/** A request of a servlet container. */
record ServletSource(HttpServletRequest request) implements RequestSource {
  /**
   * Returns the request as the container created it. A wrapper may report data from a header:
   * Spring's {@code ForwardedHeaderFilter} takes the left-most hop for the peer, regardless of who
   * wrote it.
   */
  static ServletSource of(HttpServletRequest request) {
    ServletRequest inner = request;
    while (inner instanceof ServletRequestWrapper wrapper) {
      inner = wrapper.getRequest();
    }
    return new ServletSource(inner instanceof HttpServletRequest http ? http : request);
  }

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String target() {
    return request.getRequestURI();
  }

  @Override
  public String peer() {
    return request.getRemoteAddr();
  }

  @Override
  public List<String> headers(String name) {
    return Collections.list(request.getHeaders(name));
  }

  @Override
  public Iterable<String> headerNames() {
    return Collections.list(request.getHeaderNames());
  }
}
