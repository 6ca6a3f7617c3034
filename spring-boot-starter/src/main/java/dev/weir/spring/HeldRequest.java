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
 * A request that holds a ticket until it is over: when the filter is left, or, if it has become
 * asynchronous by then, when the container says so.
 *
 * <p>Who starts the asynchronous turn is seen at that moment. Asking afterwards would be too late:
 * a request whose turn is over already says that it never started.
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

  /** What the filter at the gate has kept with a request, null if it was not there. */
  static @Nullable HeldRequest of(ServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof HeldRequest held ? held : null;
  }

  Admission admission() {
    return admission;
  }

  /** Whether it has still to wait; only the first who asks is told so. */
  boolean startsWaiting() {
    return isQueued.compareAndSet(true, false);
  }

  void leaveFilter() {
    if (!isAsynchronous) {
      gate.over(admission.ticket());
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
    gate.over(admission.ticket());
  }

  /** Containers forget who listened when the next turn starts. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }

  /** Completion follows. */
  @Override
  public void onTimeout(AsyncEvent event) {}

  /** Completion follows. */
  @Override
  public void onError(AsyncEvent event) {}
}
