package dev.weir.server.wiring;

import dev.weir.StoreException;
import dev.weir.http.authentication.AuthMetrics;
import dev.weir.http.authentication.FailedLogins;
import dev.weir.http.endpoints.Readiness;
import dev.weir.limits.Limiter;
import dev.weir.rules.RuleEvaluator;
import dev.weir.server.metrics.EnvoyMetrics;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.metrics.SlotLog;
import dev.weir.server.metrics.SlotMetrics;
import dev.weir.server.slots.DefaultConfig;
import dev.weir.server.slots.LeakGrace;
import dev.weir.server.tracing.Tracing;
import dev.weir.slots.SlotObserver;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.ChangePoller;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The engine of a node on its stores, with the tasks that keep it up to date.
 *
 * @param readiness whether the stores can be used
 */
record NodeParts(
    PrometheusRegistry registry,
    GatewayMetrics gatewayMetrics,
    EnvoyMetrics envoyMetrics,
    FailedLogins failedLogins,
    Readiness readiness,
    SlotParts slots,
    LimitParts limits,
    RouteParts routes,
    NotificationParts notifications,
    PaymentsPart payments,
    DashboardParts dashboard,
    Optional<Tracing> tracing) {

  private static final Duration BETWEEN_POLLS = Duration.ofSeconds(1);

  /**
   * Opens the parts one by one.
   *
   * @param open receives each part as soon as it is open
   */
  static NodeParts open(NodeSettings settings, StopSignal stop, OpenParts open) {
    PrometheusRegistry registry = new PrometheusRegistry();
    JvmMetrics.builder().register(registry);
    SlotMetrics slotMetrics = new SlotMetrics(registry);
    SlotObserver observer = new SlotLog(slotMetrics);
    Optional<Database> database =
        settings.database().map(given -> open.add(Database.open(given, stop)));
    NodeParts parts;
    try {
      Optional<Tracing> tracing =
          settings.tracing().map(to -> open.add(new Tracing(to.collector(), to.percent())));
      SlotParts slots = SlotParts.open(settings.slots(), database, tracing, observer, open);
      LimitParts limits = LimitParts.open(settings.limits(), database, registry, open);
      RouteParts routes = RouteParts.open(settings.routes(), database);
      NotificationParts notifications =
          database
              .filter(used -> used.dialect() == Dialect.POSTGRESQL)
              .map(
                  used ->
                      NotificationParts.open(
                          settings.notifications(),
                          used.pool(),
                          Limiter.on(limits.stores().limits()),
                          registry,
                          open))
              .orElseGet(() -> NotificationParts.none(registry));
      database.ifPresent(used -> open.add(listener(used, slots, limits, routes, notifications)));
      stop.check();
      PaymentsPart payments =
          database
              .filter(used -> used.dialect() == Dialect.POSTGRESQL)
              .map(
                  used ->
                      PaymentsPart.open(
                          settings.payments(), used.pool(), slots.scheduler(), registry, open))
              .orElseGet(() -> PaymentsPart.none(registry));
      GatewayMetrics gatewayMetrics = new GatewayMetrics(registry);
      Readiness readiness =
          new NodeReadiness(
              database
                  .<Supplier<String>>map(used -> used::reasonAgainst)
                  .orElse(limits::reasonAgainst),
              List.of(
                  limits.metrics().outages()::warnings,
                  notifications::warnings,
                  payments.warnings()));
      parts =
          new NodeParts(
              registry,
              gatewayMetrics,
              new EnvoyMetrics(registry),
              new FailedLogins(new AuthMetrics(registry)),
              readiness,
              slots,
              limits,
              routes,
              notifications,
              payments,
              DashboardParts.open(
                  DashboardParts.facts(settings),
                  slots.scheduler(),
                  limits,
                  slotMetrics,
                  gatewayMetrics,
                  readiness,
                  open),
              tracing);
    } catch (StoreException e) {
      throw database.isPresent() ? database.get().unusable(e) : e;
    }
    parts.keepUpToDate(settings.limits().cacheTtl(), open);
    return parts;
  }

  /**
   * Starts to listen for changes that other nodes make. Oracle does not notify of them, so they are
   * polled.
   */
  private static AutoCloseable listener(
      Database database,
      SlotParts slots,
      LimitParts limits,
      RouteParts routes,
      NotificationParts notifications) {
    Map<Channel, ChangeListener.Listener> hearers = new EnumMap<>(limits.hearers());
    hearers.put(Channel.SLOT_CONFIG, slots.hearer());
    hearers.put(Channel.ROUTE, routes.hearer());
    hearers.put(Channel.NOTIFICATION_USER, notifications.hearer());
    return switch (database.dialect()) {
      case POSTGRESQL -> new ChangeListener(database.pool(), hearers);
      case ORACLE ->
          Upkeep.start(
              "watch for changes", new ChangePoller(database.pool(), hearers)::look, BETWEEN_POLLS);
    };
  }

  /** Reads rules and routes periodically, in case a change notification was missed. */
  private void keepUpToDate(Duration interval, OpenParts open) {
    open.add(Upkeep.start("reading of rules", limits.index()::refresh, interval));
    Runnable readRoutes =
        () -> {
          routes.table().refresh();
          gatewayMetrics.routesKnown(routes.table().patterns());
        };
    open.add(Upkeep.start("reading of routes", readRoutes, interval));
    open.add(
        Upkeep.start(
            "renewal of leases", limits.evaluator()::renewLeases, RuleEvaluator.BETWEEN_RENEWALS));
  }

  /** Returns the parts that the endpoints inject. */
  Beans beans(NodeSettings settings) {
    Beans beans =
        new Beans()
            .add(settings.http())
            .add(failedLogins)
            .add(new DefaultConfig(settings.slots().defaultConfig()))
            .add(new LeakGrace(settings.slots().reconciler().leakGrace()))
            .add(readiness)
            .add(registry);
    slots.addTo(beans);
    limits.addTo(beans);
    routes.addTo(beans);
    notifications.addTo(beans);
    payments.addTo(beans);
    dashboard.addTo(beans);
    tracing.ifPresent(beans::add);
    return beans;
  }
}
