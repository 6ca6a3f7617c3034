package dev.weir.spring.internal.servlet;

import dev.weir.spring.internal.gate.Admission;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Delays queued requests without holding a thread, if the service prefers that.
 *
 * <p>It runs after all other filters. After the wait the container runs the filters again for an
 * asynchronous dispatch, which most filters, rightly, skip: they have seen the request before. If
 * this filter ran before them, they would never see the request. So it is a plain bean with the
 * lowest precedence: Spring Boot puts these after registered filters, and ours after the service's
 * own.
 *
 * <p>A request that is delayed here leaves the other filters before its response is written. A
 * filter that buffers the response, or clears a thread local, does so too early.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
public final class ServletQueueFilter extends OncePerRequestFilter {
  /** Keeps the container's asynchronous time-out longer than the wait. */
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final ScheduledExecutorService timer;

  public ServletQueueFilter(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  /** Returns false, because requests that have waited come back in an asynchronous dispatch. */
  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HeldRequest held = HeldRequest.of(request);
    if (held != null && held.admission() instanceof Admission.Queued queued) {
      if (held.startsWaiting() && !isWaited(held, queued.delay(), request, response)) {
        return;
      }
      queued.ticket().waited();
    }
    chain.doFilter(request, response);
  }

  /** Returns true if the wait is already over; else the request is dispatched again when it is. */
  private boolean isWaited(
      HeldRequest held, Duration delay, ServletRequest request, ServletResponse response)
      throws ServletException {
    if (!request.isAsyncSupported()) {
      // A filter or servlet was registered without support for asynchronous requests.
      ServletGateFilter.sleep(delay);
      return true;
    }
    AsyncContext waiting = request.startAsync(request, response);
    waiting.setTimeout(delay.plus(GRACE).toMillis());
    held.waitsFor(timer.schedule(() -> waiting.dispatch(), delay.toNanos(), TimeUnit.NANOSECONDS));
    return false;
  }
}
