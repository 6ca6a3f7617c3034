package dev.weir.server.http;

import dev.weir.TrustedProxies;
import dev.weir.server.metrics.AuthMetrics;
import io.micronaut.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts callers that are refused for their credential, and logs up to one of them per {@link
 * #SPACING}, so that guessing keys is seen and does not flood the log. Thread-safe.
 */
public final class FailedLogins {
  static final Duration SPACING = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(FailedLogins.class);

  private final AuthMetrics metrics;
  private final LongSupplier nanoTime;

  /** When the next line may be logged. */
  private final AtomicLong nextNanos;

  /** The failures since the last line that was logged. */
  private final AtomicLong unlogged = new AtomicLong();

  /** Creates the record of a node. */
  public FailedLogins(AuthMetrics metrics) {
    this(metrics, System::nanoTime);
  }

  FailedLogins(AuthMetrics metrics, LongSupplier nanoTime) {
    this.metrics = metrics;
    this.nanoTime = nanoTime;
    this.nextNanos = new AtomicLong(nanoTime.getAsLong());
  }

  /** Records a request to the API whose caller was refused. */
  public void record(AuthMetrics.Failure failure, HttpRequest<?> request, TrustedProxies proxies) {
    record(
        failure,
        proxies.client(
            request.getRemoteAddress().getAddress().getHostAddress(),
            request.getHeaders().getAll("Forwarded"),
            request.getHeaders().getAll("X-Forwarded-For")),
        Endpoint.name(request));
  }

  /**
   * Records a refused caller. Requests without a credential are only counted: every browser that
   * opens the dashboard sends some before its user has entered a token.
   *
   * @param client the address of the caller
   * @param endpoint what was called, as the server names it; never what the caller sent
   */
  public void record(AuthMetrics.Failure failure, String client, String endpoint) {
    metrics.failed(failure);
    if (failure == AuthMetrics.Failure.MISSING) {
      return;
    }
    long now = nanoTime.getAsLong();
    long next = nextNanos.get();
    if (now - next < 0 || !nextNanos.compareAndSet(next, now + SPACING.toNanos())) {
      unlogged.incrementAndGet();
      return;
    }
    log.atWarn()
        .addKeyValue("client", client)
        .addKeyValue("endpoint", endpoint)
        .addKeyValue("reason", failure)
        .addKeyValue("unlogged", unlogged.getAndSet(0))
        .log("A caller was refused for its credential");
  }
}
