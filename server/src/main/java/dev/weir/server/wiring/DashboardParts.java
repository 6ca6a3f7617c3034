package dev.weir.server.wiring;

import dev.weir.http.endpoints.Readiness;
import dev.weir.server.dashboard.Dashboard;
import dev.weir.server.dashboard.DemoTraffic;
import dev.weir.server.dashboard.NodeFacts;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.metrics.SlotMetrics;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.internal.Dialect;
import java.util.Locale;
import java.util.Optional;

/** The dashboard of a node. */
record DashboardParts(NodeFacts facts, Dashboard dashboard, DemoTraffic demo) {
  /**
   * Starts the dashboard.
   *
   * @param open receives each part as soon as it is open
   */
  static DashboardParts open(
      NodeFacts facts,
      SlotScheduler scheduler,
      LimitParts limits,
      SlotMetrics slotMetrics,
      GatewayMetrics gatewayMetrics,
      Readiness readiness,
      OpenParts open) {
    return new DashboardParts(
        facts,
        open.add(Dashboard.start(limits.metrics(), slotMetrics, gatewayMetrics, readiness)),
        open.add(new DemoTraffic(scheduler, limits.rules(), limits.index(), limits.evaluator())));
  }

  static NodeFacts facts(NodeSettings settings) {
    boolean hasOwnDatabase =
        settings.database().map(database -> database.server().isEmpty()).orElse(true);
    Optional<Dialect> dialect = settings.database().map(DatabaseSettings::dialect);
    boolean hasPostgresql = dialect.equals(Optional.of(Dialect.POSTGRESQL));
    return new NodeFacts(
        settings.slots().defaultConfig(),
        dialect.map(DashboardParts::name).orElse("memory"),
        name(settings.limits().store()),
        hasOwnDatabase && !settings.limits().isElsewhere(),
        settings.gateway().isPresent(),
        settings.envoy().isPresent(),
        hasPostgresql,
        hasPostgresql && settings.notifications().analytics().search().isPresent(),
        hasPostgresql,
        settings.slots().reconciler().leakGrace());
  }

  private static String name(Enum<?> store) {
    return store.name().toLowerCase(Locale.ROOT);
  }

  /** Registers the parts that the endpoints of the dashboard inject. */
  void addTo(Beans beans) {
    beans.add(facts).add(dashboard).add(demo);
  }
}
