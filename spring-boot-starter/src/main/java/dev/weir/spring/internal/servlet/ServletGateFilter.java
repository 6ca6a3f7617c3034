package dev.weir.spring.internal.servlet;

import dev.weir.TrustedProxies;
import dev.weir.rules.matching.AmbiguousPathException;
import dev.weir.rules.matching.Request;
import dev.weir.spring.internal.gate.Admission;
import dev.weir.spring.internal.gate.Gate;
import dev.weir.spring.internal.gate.Problem;
import dev.weir.spring.internal.gate.RefusedCallException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Admits requests, delays them, or refuses them, before any other work is done for them. A request
 * that has to wait does so on its thread, so that filters around this one notice nothing but the
 * time; or, if the service prefers that, in {@link ServletQueueFilter}, after all other filters.
 *
 * <p>Decides once about a request: not in its error, forward and asynchronous dispatches. An
 * exception that leaves an asynchronous dispatch ends the request too, however.
 */
public final class ServletGateFilter implements Filter {
  private final Gate gate;
  private final TrustedProxies proxies;
  private final boolean hasAsyncQueue;
  private final List<Filter> methodFilters;

  /**
   * Creates a filter.
   *
   * @param hasAsyncQueue true if requests wait in a {@link ServletQueueFilter}
   * @param methodFilters filters that change the method of a request and would run later; they run
   *     here already, because rules limit what the service does. They run once per request
   */
  public ServletGateFilter(
      Gate gate, TrustedProxies proxies, boolean hasAsyncQueue, List<Filter> methodFilters) {
    this.gate = gate;
    this.proxies = proxies;
    this.hasAsyncQueue = hasAsyncQueue;
    this.methodFilters = List.copyOf(methodFilters);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse httpResponse) {
      if (request.getDispatcherType() == DispatcherType.ASYNC) {
        dispatched(http, httpResponse, chain);
      } else {
        changeMethod(0, http, httpResponse, chain);
      }
    } else {
      chain.doFilter(request, response);
    }
  }

  /** Runs the filters that change the method, from the given position, and then this one. */
  private void changeMethod(
      int position, ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (position < methodFilters.size()) {
      methodFilters
          .get(position)
          .doFilter(
              request,
              response,
              (changed, same) -> changeMethod(position + 1, changed, same, chain));
    } else {
      filter((HttpServletRequest) request, (HttpServletResponse) response, chain);
    }
  }

  private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Request read;
    try {
      // The method may be another one than the client sent; rules limit what the service does.
      read = ServletSource.of(request).read(request.getMethod(), proxies);
    } catch (AmbiguousPathException e) {
      ProblemResponse.write(response, Problem.invalidPath(e));
      return;
    }
    Admission admission = gate.admit(read).join();
    HeldRequest held = new HeldRequest(request, admission, gate);
    boolean isReturning = false;
    try {
      admission.fields().forEach(field -> response.addHeader(field.name(), field.value()));
      if (admission instanceof Admission.Refused refused) {
        ProblemResponse.write(response, refused.problem());
      } else {
        admitted(held, response, chain);
      }
      isReturning = true;
    } finally {
      if (isReturning) {
        held.leaveFilter();
      } else {
        held.end();
      }
    }
  }

  private void admitted(HeldRequest held, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    held.attach();
    if (held.admission() instanceof Admission.Queued queued && !hasAsyncQueue) {
      sleep(queued.delay());
      queued.ticket().waited();
    }
    proceed(held, response, chain);
  }

  /** Continues an asynchronous dispatch. The container reports its end, but not every exception. */
  private static void dispatched(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HeldRequest held = HeldRequest.of(request);
    boolean isReturning = false;
    try {
      proceed(request, response, chain);
      isReturning = true;
    } finally {
      if (!isReturning && held != null) {
        held.end();
      }
    }
  }

  /** Continues with the service, and responds to refused calls outside of its handlers. */
  private static void proceed(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    try {
      chain.doFilter(request, response);
    } catch (IOException | ServletException | RuntimeException e) {
      RefusedCallException refusal = RefusedCallException.in(e);
      // The container aborts a response that has begun, so that the client does not take it for
      // complete.
      if (refusal == null || response.isCommitted() || request.isAsyncStarted()) {
        throw e;
      }
      ProblemResponse.replace(response, refusal.admission());
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
}
