package dev.weir.spring;

import dev.weir.engine.rules.AmbiguousPathException;
import dev.weir.engine.rules.Request;
import dev.weir.engine.rules.TrustedProxies;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Admits requests, or refuses them, before any other work is done for them. A request that has to
 * wait does so in {@link ServletQueueFilter}, after all other filters.
 *
 * <p>Runs once for a request: not for its error, forward and asynchronous dispatches.
 */
final class ServletGateFilter implements Filter {
  private final Gate gate;
  private final TrustedProxies proxies;

  ServletGateFilter(Gate gate, TrustedProxies proxies) {
    this.gate = gate;
    this.proxies = proxies;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse httpResponse) {
      filter(http, httpResponse, chain);
    } else {
      chain.doFilter(request, response);
    }
  }

  private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Request read;
    try {
      read = ServletSource.of(request).read(proxies);
    } catch (AmbiguousPathException e) {
      write(response, Problem.invalidPath(e));
      return;
    }
    Admission admission = gate.admit(read).join();
    admission.fields().forEach(field -> response.addHeader(field.name(), field.value()));
    if (admission instanceof Admission.Refused refused) {
      write(response, refused.problem());
      return;
    }
    HeldRequest held = new HeldRequest(request, admission, gate);
    try {
      chain.doFilter(held, response);
    } finally {
      held.leaveFilter();
    }
  }

  static void write(HttpServletResponse response, Problem problem) throws IOException {
    byte[] body = problem.bytes();
    response.setStatus(problem.status());
    response.setContentType(Problem.MEDIA_TYPE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
