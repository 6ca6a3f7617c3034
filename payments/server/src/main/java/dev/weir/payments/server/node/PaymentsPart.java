package dev.weir.payments.server.node;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.PartOwnership;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Limiter;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.stores.EmbeddedPart;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.payments.server.AvailablePayments;
import dev.weir.payments.server.PaymentServices;
import dev.weir.payments.server.metrics.PaymentMetrics;
import dev.weir.payments.workflows.BucketCeiling;
import dev.weir.payments.workflows.CallGate;
import dev.weir.payments.workflows.Ceiling;
import dev.weir.payments.workflows.ConfiguredGate;
import dev.weir.payments.workflows.FeedReceiver;
import dev.weir.payments.workflows.LeaseCeiling;
import dev.weir.payments.workflows.PaymentMetric;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.limits.JdbcLeaseStore;
import dev.weir.store.jdbc.limits.JdbcLimitStore;
import dev.weir.workflows.SlotSource;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Payments on their stores.
 *
 * @param warnings what operators should know
 */
public record PaymentsPart(
    AvailablePayments available, PaymentMetrics metrics, Supplier<List<String>> warnings) {
  private static final Logger log = LoggerFactory.getLogger(PaymentsPart.class);

  /** The name of the payment API in the stores of limits. */
  private static final String RESOURCE = "payments/downstream";

  /** Returns the part of a node that has no database, and therefore no payments. */
  public static PaymentsPart none(PrometheusRegistry registry) {
    return new PaymentsPart(AvailablePayments.none(), new PaymentMetrics(registry), List::of);
  }

  /**
   * Opens the stores of payments, and starts what makes them when there are any.
   *
   * @param open receives what has to be closed
   */
  public static PaymentsPart open(
      PaymentSettings settings,
      HikariDataSource database,
      SlotScheduler scheduler,
      PrometheusRegistry registry,
      OpenParts open) {
    PaymentMetrics metrics = new PaymentMetrics(registry);
    PaymentStore store = new JdbcPaymentStore(database);
    SlotSource slots = SlotSource.of(scheduler);
    boolean isEmbedded = settings.temporal().isEmpty();
    PartOwnership ownership =
        isEmbedded ? EmbeddedPart.TEMPORAL.ownership(database) : PartOwnership.SHARED;
    PaymentRuntime runtime =
        open.add(
            new PaymentRuntime(
                settings,
                store,
                slots,
                ownership,
                () -> {
                  Ceiling ceiling = ceiling(settings, database);
                  return RunningPayments.start(
                      settings,
                      new RunningPayments.Stores(
                          store,
                          slots,
                          isEmbedded
                              ? new OwnersCeiling(ownership, ceiling, System::nanoTime)
                              : ceiling,
                          gate(settings, scheduler, database)),
                      metrics,
                      InstantSource.system());
                }));
    metrics.state(PaymentMetric.TEMPORAL_DOWN, runtime::isDown);
    PaymentServices services =
        new PaymentServices(
            store,
            new FeedReceiver(store),
            runtime::feedReceived,
            runtime::paymentsReopened,
            paymentId -> scheduler.find(paymentId).map(Slot::scheduledTime),
            runtime::cancel,
            settings.configName(),
            settings.ceiling().max());
    if (settings.api().target() instanceof PaymentSettings.Target.None) {
      log.info("Feeds of payments are refused: {}", RunningPayments.NO_API);
      return new PaymentsPart(
          AvailablePayments.withoutApi(services), metrics, () -> warnings(runtime));
    }
    return new PaymentsPart(AvailablePayments.to(services), metrics, () -> warnings(runtime));
  }

  private static List<String> warnings(PaymentRuntime runtime) {
    String held = runtime.holdReason();
    if (!held.isEmpty()) {
      return List.of("all payments are held: " + held);
    }
    if (runtime.isDown()) {
      return List.of("payments are not made: " + runtime.problem());
    }
    String owner = runtime.otherNode();
    return owner.isEmpty()
        ? List.of()
        : List.of(
            "this node makes no payments: "
                + owner
                + " has the embedded Temporal of this database; for several nodes set"
                + " temporal.service-address");
  }

  /** The ceiling is counted in the database, which all nodes share and which survives them. */
  private static Ceiling ceiling(PaymentSettings settings, HikariDataSource database) {
    LeaseStore leases = new JdbcLeaseStore(database);
    int max = settings.ceiling().max();
    PaymentSettings.Api api = settings.api();
    return settings.ceiling().isHard()
        ? new LeaseCeiling(
            leases,
            RESOURCE,
            max,
            new LeaseCeiling.Times(api.timeout(), api.lateness(), api.maxPause()))
        : new BucketCeiling(Limiter.on(new JdbcLimitStore(database)), leases, RESOURCE, max);
  }

  private static CallGate gate(
      PaymentSettings settings, SlotScheduler scheduler, HikariDataSource database) {
    Function<String, Optional<SlotPolicy>> policies =
        name -> scheduler.config(name).map(SlotConfig::policy);
    return settings.isPaced()
        ? ConfiguredGate.paced(policies, new JdbcLeaseStore(database), settings.api().timeout())
        : ConfiguredGate.unpaced(policies);
  }

  /** Registers the parts that the endpoints of payments inject. */
  public void addTo(OpeningNode node) {
    node.bean(available);
    node.bean(metrics);
  }
}
