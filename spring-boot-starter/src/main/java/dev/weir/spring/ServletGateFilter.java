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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
    OutputStream body = emptied(response);
    byte[] json = problem.bytes();
    response.setStatus(problem.status());
    response.setContentType(Problem.MEDIA_TYPE);
    response.setContentLength(json.length);
    body.write(json);
  }

  /** Returns the body of a response, without what was written to it before. */
  private static OutputStream emptied(HttpServletResponse response) throws IOException {
    try {
      response.resetBuffer();
      return response.getOutputStream();
    } catch (IllegalStateException e) {
      // The service has used a writer before, which only a complete reset takes back.
      List<Admission.Field> fields = new ArrayList<>();
      for (String name : response.getHeaderNames()) {
        if (!name.toLowerCase(Locale.ROOT).startsWith("content-")) {
          response.getHeaders(name).forEach(value -> fields.add(new Admission.Field(name, value)));
        }
      }
      response.reset();
      fields.forEach(field -> response.addHeader(field.name(), field.value()));
      return response.getOutputStream();
    }
  }
}
