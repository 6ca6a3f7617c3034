package dev.weir.http.authentication;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Metrics of callers that were refused for their credential. Thread-safe. */
public final class AuthMetrics {
  private final Map<Failure, CounterDataPoint> failures = new EnumMap<>(Failure.class);

  /** Why a caller was refused. */
  public enum Failure {
    /** It sent no credential. */
    MISSING,
    /** Its token or key is unknown, or not valid now. */
    INVALID,
    /** Its token is valid, but does not permit the endpoint. */
    NOT_ALLOWED,
    /** The signature of a delivery receipt is wrong or old. */
    SIGNATURE
  }

  public AuthMetrics(PrometheusRegistry registry) {
    Counter counter =
        Counter.builder()
            .name("rate_limiter_auth_failures")
            .help("Requests refused for their credential: missing, invalid, or not permitting it.")
            .labelNames("reason")
            .register(registry);
    for (Failure failure : Failure.values()) {
      failures.put(failure, counter.labelValues(failure.name().toLowerCase(Locale.ROOT)));
    }
  }

  public void failed(Failure failure) {
    Objects.requireNonNull(failures.get(failure)).inc();
  }
}
