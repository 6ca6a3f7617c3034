package dev.weir.spring.internal.servlet;

import dev.weir.spring.internal.gate.RequestSource;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request of a servlet container. */
public record ServletSource(HttpServletRequest request) implements RequestSource {
  static final String FORWARDED_FOR = "X-Forwarded-For";

  /**
   * Returns the request as the container created it. A wrapper may report data from a header:
   * Spring's {@code ForwardedHeaderFilter} takes the left-most hop for the peer, regardless of who
   * wrote it.
   */
  public static ServletSource of(HttpServletRequest request) {
    ServletRequest inner = request;
    while (inner instanceof ServletRequestWrapper wrapper) {
      inner = wrapper.getRequest();
    }
    return new ServletSource(inner instanceof HttpServletRequest http ? http : request);
  }

  @Override
  public String target() {
    return request.getRequestURI();
  }

  @Override
  public String peer() {
    ServletPeer received = received();
    return received == null ? request.getRemoteAddr() : received.address();
  }

  /** Returns the origin before the container changed it; null if it keeps none. */
  private @Nullable ServletPeer received() {
    return request.getAttribute(ServletPeer.ATTRIBUTE) instanceof ServletPeer peer ? peer : null;
  }

  @Override
  public List<String> headers(String name) {
    ServletPeer received = name.equalsIgnoreCase(FORWARDED_FOR) ? received() : null;
    return received != null ? received.forwardedFor() : Collections.list(request.getHeaders(name));
  }

  @Override
  public Iterable<String> headerNames() {
    return Collections.list(request.getHeaderNames());
  }
}
