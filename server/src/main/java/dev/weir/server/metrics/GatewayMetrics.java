package dev.weir.server.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Metrics of the gateway. The number of label values is bounded: above a maximum number of routes,
 * the others share one label. Thread-safe.
 */
public final class GatewayMetrics {
  /** The route label of requests that match no route. */
  public static final String NO_ROUTE = "none";

  private static final int MAX_ROUTES = 100;
  private static final String OTHER_ROUTES = "other";
  private static final int CLIENT_GONE = 499;
  private static final int CLASSES = 6;
  private static final double NANOS_OF_A_SECOND = 1e9;

  private final Counter requests;
  private final Histogram seconds;
  private final Map<String, RouteCounts> routes = new ConcurrentHashMap<>();
  private final Map<Failure, CounterDataPoint> failures = new EnumMap<>(Failure.class);
  private final Latencies times = new Latencies();

  /** The kind of an upstream failure. */
  public enum Failure {
    /** It accepts no connection, or its name cannot be resolved. */
    UNREACHABLE,
    CONNECT_TIMEOUT,
    ANSWER_TIMEOUT,
    /** It closed the connection before the end of its response. */
    BROKEN_OFF,
    /** Its response is invalid. */
    INVALID
  }

  /**
   * The metrics of one route. Counters are indexed by the first digit of the status; index 0 counts
   * clients that left.
   */
  private record RouteCounts(List<CounterDataPoint> byClass, DistributionDataPoint seconds) {}

  public GatewayMetrics(PrometheusRegistry registry) {
    requests =
        Counter.builder()
            .name("rate_limiter_gateway_requests")
            .help("Requests that came to the gateway, by route and by what they were answered.")
            .labelNames("route", "status")
            .register(registry);
    seconds =
        Histogram.builder()
            .name("rate_limiter_gateway_request_seconds")
            .help("How long requests took from their head to the end of their answer.")
            .labelNames("route")
            .classicOnly()
            .classicUpperBounds(.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30)
            .register(registry);
    Counter failed =
        Counter.builder()
            .name("rate_limiter_gateway_upstream_failures")
            .help("Requests that an upstream did not answer as it should.")
            .labelNames("kind")
            .register(registry);
    for (Failure failure : Failure.values()) {
      failures.put(failure, failed.labelValues(failure.name().toLowerCase(Locale.ROOT)));
    }
    // Registers the series before the first request.
    counts(NO_ROUTE);
  }

  /** Records a finished request. */
  public void answered(String route, int status, long nanos) {
    RouteCounts known = routes.get(route);
    RouteCounts counts = known == null ? counts(route) : known;
    counts.byClass().get(status == CLIENT_GONE ? 0 : Math.min(status / 100, CLASSES - 1)).inc();
    counts.seconds().observe(nanos / NANOS_OF_A_SECOND);
    times.record(nanos);
  }

  /** Returns how long requests took. */
  public Latencies times() {
    return times;
  }

  /** Sets the routes that exist: the series of all others are removed, which frees their labels. */
  public synchronized void routesKnown(Set<String> patterns) {
    for (String route : List.copyOf(routes.keySet())) {
      boolean isKept =
          patterns.contains(route) || route.equals(NO_ROUTE) || route.equals(OTHER_ROUTES);
      if (!isKept) {
        routes.remove(route);
        for (int i = 0; i < CLASSES; i++) {
          requests.remove(route, statusClass(i));
        }
        seconds.remove(route);
      }
    }
  }

  private static String statusClass(int digit) {
    return digit == 0 ? "gone" : digit + "xx";
  }

  private synchronized RouteCounts counts(String route) {
    String label = routes.size() < MAX_ROUTES ? route : OTHER_ROUTES;
    return routes.computeIfAbsent(label, this::made);
  }

  private RouteCounts made(String label) {
    List<CounterDataPoint> byClass = new ArrayList<>(CLASSES);
    for (int i = 0; i < CLASSES; i++) {
      byClass.add(requests.labelValues(label, statusClass(i)));
    }
    return new RouteCounts(byClass, seconds.labelValues(label));
  }

  public void failed(Failure failure) {
    CounterDataPoint count = failures.get(failure);
    if (count != null) {
      count.inc();
    }
  }
}
