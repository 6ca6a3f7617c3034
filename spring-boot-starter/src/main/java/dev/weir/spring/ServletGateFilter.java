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
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits requests, delays them, or refuses them, before any other work is done for them. A request
 * that has to wait does so on its thread, so that filters around this one notice nothing but the
 * time; or, if the service prefers that, in {@link ServletQueueFilter}, after all other filters.
 *
 * <p>Runs once for a request: not for its error, forward and asynchronous dispatches.
 */
final class ServletGateFilter implements Filter {
  private static final Logger log = LoggerFactory.getLogger(ServletGateFilter.class);

  private final Gate gate;
  private final TrustedProxies proxies;
  private final boolean hasAsyncQueue;

  /**
   * Creates a filter.
   *
   * @param hasAsyncQueue true if requests wait in a {@link ServletQueueFilter}
   */
  ServletGateFilter(Gate gate, TrustedProxies proxies, boolean hasAsyncQueue) {
    this.gate = gate;
    this.proxies = proxies;
    this.hasAsyncQueue = hasAsyncQueue;
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
      // The method may be another one than the client sent; rules limit what the service does.
      read = ServletSource.of(request).read(request.getMethod(), proxies);
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
      if (admission instanceof Admission.Queued queued && !hasAsyncQueue) {
        sleep(queued.delay());
        queued.ticket().waited();
      }
      chain.doFilter(held, response);
    } finally {
      held.leaveFilter();
    }
  }

  static void sleep(Duration delay) throws ServletException {
    try {
      TimeUnit.NANOSECONDS.sleep(delay.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServletException("The wait in a queue was interrupted", e);
    }
  }

  /**
   * Writes a problem in place of what may have been written before. A response that is on its way
   * to the client is left as it is.
   */
  static void write(HttpServletResponse response, Problem problem) throws IOException {
    if (response.isCommitted()) {
      log.warn("A refusal cannot be sent, because a filter has begun to respond: {}", problem);
      return;
    }
    response.resetBuffer();
    response.setStatus(problem.status());
    response.setContentType(Problem.MEDIA_TYPE);
    OutputStream stream;
    try {
      stream = response.getOutputStream();
    } catch (IllegalStateException e) {
      // The service has asked for a writer before. Its encoding cannot be changed any more, so the
      // length is not known, and one that was set before must go.
      response.setContentLength(-1);
      response.getWriter().write(problem.json());
      return;
    }
    response.setContentLength(problem.bytes().length);
    stream.write(problem.bytes());
  }
}
