package dev.weir.server.metrics;

import dev.weir.slots.Assignment;
import dev.weir.slots.SlotObserver;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of slots. Labels have few values, all known in advance. */
public final class SlotMetrics implements SlotObserver {
  private final DistributionDataPoint assigned;
  private final DistributionDataPoint replayed;
  private final DistributionDataPoint refused;
  private final DistributionDataPoint failed;
  private final Histogram lookahead;
  private final Histogram batchSize;
  private final CounterDataPoint noCapacity;
  private final CounterDataPoint unknownConfig;
  private final CounterDataPoint storeFailed;
  private final Counter contention;
  private final Counter cacheHits;
  private final Counter cacheMisses;
  private final Gauge leaked;
  private final Counter reclaimed;
  private final Counter removed;

  // Read every second, which histograms do not support without disturbing those who observe.
  private final LongAdder assignedCount = new LongAdder();
  private final LongAdder replayedCount = new LongAdder();
  private final LongAdder refusedCount = new LongAdder();
  private final LongAdder failedCount = new LongAdder();
  private final LongAdder waitingCount = new LongAdder();
  private final Latencies times = new Latencies();

  /**
   * The requests for slots so far.
   *
   * @param failed calls that got an error; each may be about several requests
   * @param waiting requests that wait for their result now
   * @param leaked the leaked slots as they were counted last
   */
  public record Counts(
      long assigned, long replayed, long refused, long failed, long waiting, long leaked) {}

  public SlotMetrics(PrometheusRegistry registry) {
    Histogram duration =
        Histogram.builder()
            .name("rate_limiter_slot_assignment_duration_seconds")
            .help("From the request of a slot to its answer, waiting for a batch included.")
            .labelNames("outcome")
            .classicOnly()
            .classicUpperBounds(
                0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
            .register(registry);
    assigned = duration.labelValues("assigned");
    replayed = duration.labelValues("replayed");
    refused = duration.labelValues("refused");
    failed = duration.labelValues("failed");
    lookahead =
        Histogram.builder()
            .name("rate_limiter_window_lookahead_depth")
            .help("Windows between the wanted and the given one.")
            .classicOnly()
            .classicUpperBounds(0, 1, 2, 5, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
            .register(registry);
    batchSize =
        Histogram.builder()
            .name("rate_limiter_slot_batch_size")
            .help("Requests that share one transaction.")
            .classicOnly()
            .classicUpperBounds(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
            .register(registry);
    Counter failures =
        counter(
            registry,
            "rate_limiter_slot_assignment_failures",
            "Requests that got no slot.",
            "reason");
    noCapacity = failures.labelValues("no_capacity");
    unknownConfig = failures.labelValues("unknown_config");
    storeFailed = failures.labelValues("store");
    contention =
        counter(
            registry,
            "rate_limiter_window_contention",
            "Batches that met another node at their configuration and read or tried again.");
    cacheHits =
        counter(registry, "rate_limiter_config_cache_hits", "Configurations found in the cache.");
    cacheMisses =
        counter(
            registry, "rate_limiter_config_cache_misses", "Configurations read from the store.");
    leaked =
        Gauge.builder()
            .name("rate_limiter_slots_leaked")
            .help(
                "Slots past their time and never confirmed, of configurations whose slots are"
                    + " confirmed, as the reconciler counted them last.")
            .register(registry);
    reclaimed =
        counter(registry, "rate_limiter_slots_reclaimed", "Leaked slots taken back by this node.");
    removed =
        counter(registry, "rate_limiter_slots_removed", "Slots older than the retention removed.");
  }

  private static Counter counter(
      PrometheusRegistry registry, String name, String help, String... labels) {
    return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
  }

  @Override
  public void answered(Assignment assignment, Duration took) {
    double seconds = took.toNanos() / 1e9;
    times.record(took.toNanos());
    switch (assignment) {
      case Assignment.Assigned given -> {
        if (given.replayed()) {
          replayed.observe(seconds);
          replayedCount.increment();
        } else {
          assigned.observe(seconds);
          assignedCount.increment();
          lookahead.observe((double) given.lookahead());
        }
      }
      case Assignment.NoCapacity any -> {
        refused.observe(seconds);
        refusedCount.increment();
        noCapacity.inc();
      }
      case Assignment.UnknownConfig any -> {
        refused.observe(seconds);
        refusedCount.increment();
        unknownConfig.inc();
      }
    }
  }

  @Override
  public void failed(Duration took) {
    failed.observe(took.toNanos() / 1e9);
    storeFailed.inc();
    failedCount.increment();
  }

  @Override
  public void waiting(int change) {
    waitingCount.add(change);
  }

  /** Returns the requests so far. */
  public Counts counts() {
    return new Counts(
        assignedCount.sum(),
        replayedCount.sum(),
        refusedCount.sum(),
        failedCount.sum(),
        waitingCount.sum(),
        (long) leaked.get());
  }

  /** Returns how long requests took. */
  public Latencies times() {
    return times;
  }

  @Override
  public void batch(int demands) {
    batchSize.observe(demands);
  }

  @Override
  public void contended() {
    contention.inc();
  }

  @Override
  public void configCacheHit() {
    cacheHits.inc();
  }

  @Override
  public void configCacheMiss() {
    cacheMisses.inc();
  }

  @Override
  public void leaked(long slots) {
    leaked.set((double) slots);
  }

  @Override
  public void reclaimed(int slots) {
    reclaimed.inc(slots);
  }

  @Override
  public void removed(int slots) {
    removed.inc(slots);
  }
}
