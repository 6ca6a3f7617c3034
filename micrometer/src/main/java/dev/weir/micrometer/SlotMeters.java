package dev.weir.micrometer;

import static java.util.Objects.requireNonNull;

import dev.weir.slots.Assignment;
import dev.weir.slots.SlotObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Meters of slots: the timer {@code weir.slots.assignments} by outcome, {@code weir.slots.waiting},
 * {@code weir.slots.batch} and {@code weir.slots.lookahead}, {@code weir.slots.contended}, and what
 * the upkeep does: {@code weir.slots.leaked}, {@code reclaimed} and {@code removed}. Thread-safe.
 *
 * <pre>{@code
 * SlotMeters meters = new SlotMeters(registry);
 * SlotStore store = JdbcSlotStore.on(dataSource, meters);
 * SlotScheduler slots = SlotScheduler.builder(store).observer(meters).build();
 * }</pre>
 *
 * <p>Only the store knows of contention; in memory there is none.
 */
public final class SlotMeters implements SlotObserver {
  private final Timer assigned;
  private final Timer replayed;
  private final Timer noCapacity;
  private final Timer unknownConfig;
  private final Timer failed;
  private final DistributionSummary lookahead;
  private final DistributionSummary batch;
  private final Counter contended;
  private final Counter reclaimed;
  private final Counter removed;
  private final AtomicLong waiting = new AtomicLong();
  private final AtomicLong leaked = new AtomicLong();

  /** Registers the meters. */
  public SlotMeters(MeterRegistry registry) {
    requireNonNull(registry, "registry");
    Timer.Builder time =
        Timer.builder("weir.slots.assignments")
            .description("From the request of a slot to its result, waiting for a batch included");
    this.assigned = time.withRegistry(registry).withTag("outcome", "assigned");
    this.replayed = time.withRegistry(registry).withTag("outcome", "replayed");
    this.noCapacity = time.withRegistry(registry).withTag("outcome", "no-capacity");
    this.unknownConfig = time.withRegistry(registry).withTag("outcome", "unknown-config");
    this.failed = time.withRegistry(registry).withTag("outcome", "failed");
    this.lookahead =
        DistributionSummary.builder("weir.slots.lookahead")
            .description("Windows between the wanted and the assigned one")
            .register(registry);
    this.batch =
        DistributionSummary.builder("weir.slots.batch")
            .description("Requests that share one transaction")
            .register(registry);
    this.contended =
        counter(registry, "contended", "Batches that met another node at their configuration");
    this.reclaimed = counter(registry, "reclaimed", "Leaked slots that this node took back");
    this.removed = counter(registry, "removed", "Slots that were older than the retention");
    Gauge.builder("weir.slots.waiting", waiting, AtomicLong::get)
        .description("Requests that wait for their slot")
        .register(registry);
    Gauge.builder("weir.slots.leaked", leaked, AtomicLong::get)
        .description("Slots past their time and never confirmed, as they were counted last")
        .register(registry);
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder("weir.slots." + name).description(description).register(registry);
  }

  @Override
  public void answered(Assignment assignment, Duration took) {
    switch (assignment) {
      case Assignment.Assigned given -> {
        if (given.replayed()) {
          replayed.record(took);
        } else {
          assigned.record(took);
          lookahead.record((double) given.lookahead());
        }
      }
      case Assignment.NoCapacity refused -> noCapacity.record(took);
      case Assignment.UnknownConfig unknown -> unknownConfig.record(took);
    }
  }

  @Override
  public void failed(Duration took) {
    failed.record(took);
  }

  @Override
  public void waiting(int change) {
    waiting.addAndGet(change);
  }

  @Override
  public void batch(int requests) {
    batch.record(requests);
  }

  @Override
  public void contended() {
    contended.increment();
  }

  @Override
  public void leaked(long slots) {
    leaked.set(slots);
  }

  @Override
  public void reclaimed(int slots) {
    reclaimed.increment(slots);
  }

  @Override
  public void removed(int slots) {
    removed.increment(slots);
  }
}
