package dev.weir.spring;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;

/** A request of a servlet container. */
record ServletSource(HttpServletRequest request) implements RequestSource {
  /**
   * The request as the container made it. A wrapper may say what a header made up: Spring's {@code
   * ForwardedHeaderFilter} takes the left-most hop for the peer, whoever wrote it.
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
