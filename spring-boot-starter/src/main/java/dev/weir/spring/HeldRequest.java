package dev.weir.spring;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A request that holds a ticket until it ends: when the filter returns or, if the request has
 * become asynchronous by then, when the container reports completion.
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

  HeldRequest(HttpServletRequest request, Admission admission, Gate gate) {
    super(request);
    this.admission = admission;
    this.gate = gate;
    this.isQueued = new AtomicBoolean(admission instanceof Admission.Queued);
    request.setAttribute(ATTRIBUTE, this);
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

  void leaveFilter() {
    if (!isAsynchronous) {
      gate.end(admission.ticket());
    }
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
    gate.end(admission.ticket());
  }

  /** Registers again, because containers drop listeners when the next asynchronous cycle starts. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }

  /** Does nothing, because completion follows. */
  @Override
  public void onTimeout(AsyncEvent event) {}

  /** Does nothing, because completion follows. */
  @Override
  public void onError(AsyncEvent event) {}
}
