package dev.weir.server.dashboard;

import dev.weir.http.endpoints.Readiness;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.metrics.SlotMetrics;
import java.time.InstantSource;
import java.util.Optional;

/** The memory of the dashboard: recent samples, refusals and those who watch. */
public final class Dashboard implements AutoCloseable {
  private final SampleRing ring = new SampleRing();
  private final Viewers viewers = new Viewers();
  private final Refusals refusals;
  private final NodeWatch watch;
  private final Sampler sampler;

  private Dashboard(
      LimitMetrics limits, SlotMetrics slots, GatewayMetrics gateway, Readiness readiness) {
    refusals = new Refusals(limits);
    watch = new NodeWatch(readiness, limits, slots, ring);
    sampler =
        new Sampler(
            new Counters(limits, slots, gateway),
            ring,
            refusals,
            watch,
            viewers,
            InstantSource.system(),
            Optional.of(Sampler.newThread()));
  }

  /** Starts to take a sample every second. */
  public static Dashboard start(
      LimitMetrics limits, SlotMetrics slots, GatewayMetrics gateway, Readiness readiness) {
    Dashboard dashboard = new Dashboard(limits, slots, gateway, readiness);
    dashboard.sampler.start();
    return dashboard;
  }

  SampleRing ring() {
    return ring;
  }

  Viewers viewers() {
    return viewers;
  }

  Refusals refusals() {
    return refusals;
  }

  NodeWatch watch() {
    return watch;
  }

  @Override
  public void close() {
    sampler.close();
  }
}
