package dev.weir.spring.internal.servlet;

import dev.weir.spring.internal.gate.Admission;
import dev.weir.spring.internal.gate.Gate;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A request that holds a ticket until it ends: when the filter returns or, if the request has
 * become asynchronous by then, when the container reports completion or an error. Completion does
 * not follow an exception that leaves the filters after asynchronous processing has started.
 *
 * <p>The start of asynchronous processing is observed as it happens. Checking afterwards would be
 * too late: a request whose asynchronous processing has already completed reports that it never
 * started.
 */
final class HeldRequest extends HttpServletRequestWrapper implements AsyncListener {
  private static final String ATTRIBUTE = HeldRequest.class.getName();

  private final Admission admission;
  private final Gate gate;
  private final AtomicBoolean isQueued;
  private volatile boolean isAsynchronous;
  private volatile @Nullable Future<?> timer;

  HeldRequest(HttpServletRequest request, Admission admission, Gate gate) {
    super(request);
    this.admission = admission;
    this.gate = gate;
    this.isQueued = new AtomicBoolean(admission instanceof Admission.Queued);
  }

  /** Attaches this to the request, for {@link #of}. */
  void attach() {
    setAttribute(ATTRIBUTE, this);
  }

  /** Returns the held request that the gate filter attached to a request; null if there is none. */
  static @Nullable HeldRequest of(ServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof HeldRequest held ? held : null;
  }

  Admission admission() {
    return admission;
  }

  /** Returns true if the request still has to wait; only the first call returns true. */
  boolean startsWaiting() {
    return isQueued.compareAndSet(true, false);
  }

  /** Sets the timer that dispatches the request after its wait. */
  void waitsFor(Future<?> end) {
    timer = end;
  }

  /** Ends the request when the filter returns, unless it has become asynchronous. */
  void leaveFilter() {
    if (!isAsynchronous) {
      end();
    }
  }

  /** Ends the request, whether it has become asynchronous or not. Idempotent. */
  void end() {
    Future<?> waiting = timer;
    if (waiting != null) {
      waiting.cancel(false);
    }
    gate.end(admission.ticket());
  }

  @Override
  public AsyncContext startAsync() {
    return heard(super.startAsync());
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    return heard(super.startAsync(request, response));
  }

  private AsyncContext heard(AsyncContext started) {
    if (!isAsynchronous) {
      isAsynchronous = true;
      started.addListener(this);
    }
    return started;
  }

  @Override
  public void onComplete(AsyncEvent event) {
    end();
  }

  /** Registers again, because containers drop listeners when the next asynchronous cycle starts. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }

  /** Does nothing, because completion follows. */
  @Override
  public void onTimeout(AsyncEvent event) {}

  /** Ends the request, because completion need not follow. */
  @Override
  public void onError(AsyncEvent event) {
    end();
  }
}
