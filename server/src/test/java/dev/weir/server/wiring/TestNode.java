package dev.weir.server.wiring;

import dev.weir.TrustedProxies;
import dev.weir.internal.Micros;
import dev.weir.limits.internal.CachedDefinitions;
import dev.weir.limits.internal.MemoryDefinitions;
import dev.weir.limits.internal.OpenWhenFull;
import dev.weir.limits.internal.Settlements;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.routes.internal.MemoryRoutes;
import dev.weir.routes.internal.RouteTable;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleIndex;
import dev.weir.server.http.Exposure;
import dev.weir.server.http.FailedLogins;
import dev.weir.server.http.HttpSettings;
import dev.weir.server.http.Readiness;
import dev.weir.server.metrics.AuthMetrics;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.metrics.SlotMetrics;
import dev.weir.server.rules.CheckSettings;
import dev.weir.server.slots.DefaultConfig;
import dev.weir.server.slots.LeakGrace;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.slots.internal.MemorySlotLedger;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/** Nodes for tests: whole ones, and web servers on parts that a test has in its hands. */
public final class TestNode {
  /** Longer than a pause of a busy machine; no test waits until it is over. */
  private static final String LONG = "PT5M";

  private TestNode() {}

  /** A whole node that keeps slots in memory, on a free port. */
  public static Node inMemory(Map<Setting, String> more) {
    Map<Setting, String> given = new EnumMap<>(Setting.class);
    given.put(Setting.PORT, "0");
    given.put(Setting.SLOTS_STORE, "memory");
    // Idle clients of a test that is over need no patience.
    given.put(Setting.DRAIN, "PT0S");
    // A busy machine may pause a client or an upstream at any time.
    given.put(Setting.HTTP_HEAD_TIMEOUT, LONG);
    given.put(Setting.HTTP_IDLE_TIMEOUT, LONG);
    given.put(Setting.GATEWAY_HEAD_TIMEOUT, LONG);
    given.put(Setting.GATEWAY_IDLE_TIMEOUT, LONG);
    given.put(Setting.GATEWAY_CONNECT_TIMEOUT, LONG);
    given.put(Setting.GATEWAY_ANSWER_TIMEOUT, LONG);
    given.putAll(more);
    return Node.start(Settings.of(given, Map.of(), Optional.empty()));
  }

  /** A web server on a ledger in memory with the clock of the test. */
  public static Served onClock(InstantSource clock) {
    return serving(clock, UnaryOperator.identity());
  }

  /** The same for a proxy on this machine, which has the key of a client. */
  public static Served onClock(InstantSource clock, String clientKey) {
    return serving(
        clock,
        UnaryOperator.identity(),
        new HttpSettings(
            Exposure.LOOPBACK,
            Optional.empty(),
            Optional.empty(),
            Set.of(clientKey),
            TrustedProxies.of(List.of("127.0.0.1"))));
  }

  /** A web server on a ledger that the test has changed. */
  public static Served serving(InstantSource clock, UnaryOperator<SlotLedger> change) {
    return serving(
        clock,
        change,
        new HttpSettings(
            Exposure.LOOPBACK, Optional.empty(), Optional.empty(), Set.of(), TrustedProxies.NONE));
  }

  private static Served serving(
      InstantSource clock, UnaryOperator<SlotLedger> change, HttpSettings http) {
    MemorySlotLedger memory = new MemorySlotLedger(clock, new Random(1), 100_000);
    memory.configure("default", SlotPolicy.of(100, Duration.ofSeconds(4)));
    SlotLedger ledger = change.apply(memory);
    Readiness ready = () -> "";
    Settings settings =
        Settings.of(
            Map.of(
                Setting.PORT,
                "0",
                Setting.HTTP_HEAD_TIMEOUT,
                LONG,
                Setting.HTTP_IDLE_TIMEOUT,
                LONG),
            Map.of(),
            Optional.empty());
    Beans beans =
        new Beans()
            .add(http)
            .add(new FailedLogins(new AuthMetrics(new PrometheusRegistry())))
            .add(new DefaultConfig("default"))
            .add(new LeakGrace(Duration.ofMinutes(5)))
            .add(ready)
            .add(new PrometheusRegistry());
    SlotScheduler scheduler = SlotScheduler.on(SlotStore.of(ledger, memory, memory, () -> {}));
    new SlotParts(scheduler, scheduler::forgetConfigs).addTo(beans);
    LimitParts limits = limits(clock);
    limits.addTo(beans);
    routes(clock).addTo(beans);
    NotificationParts.none(new PrometheusRegistry()).addTo(beans);
    PaymentsPart.none(new PrometheusRegistry()).addTo(beans);
    OpenParts open = new OpenParts();
    DashboardParts.open(
            DashboardParts.facts(NodeSettings.of(settings)),
            scheduler,
            limits,
            new SlotMetrics(new PrometheusRegistry()),
            new GatewayMetrics(new PrometheusRegistry()),
            ready,
            open)
        .addTo(beans);
    return new Served(
        WebServer.start(WebSettings.of(settings, http.trustedProxies()), beans, Map.of()), open);
  }

  private static RouteParts routes(InstantSource clock) {
    MemoryRoutes routes = new MemoryRoutes(clock);
    return new RouteParts(routes, new RouteTable(List.of(), routes));
  }

  /** Limits in memory with the clock of the test. */
  private static LimitParts limits(InstantSource clock) {
    LimitMetrics metrics = new LimitMetrics(new PrometheusRegistry());
    MemoryRules rules = new MemoryRules(clock);
    LongSupplier nowMicros = () -> Micros.ceil(clock.instant());
    OpenWhenFull counts = new OpenWhenFull(new MemoryLimitStore(clock, 1_000), nowMicros);
    MemoryLeaseStore leases = new MemoryLeaseStore(clock);
    LimitStores stores = new LimitStores(counts, leases, leases);
    RuleIndex index = new RuleIndex(rules, metrics);
    Settlements settlements =
        new Settlements(counts, Duration.ofSeconds(5), Upkeep.LOG, System::nanoTime);
    index.onLimitChange(settlements::owe);
    return new LimitParts(
        stores,
        rules,
        index,
        stores.evaluator(index, metrics),
        () -> {},
        settlements,
        new LimitParts.Resources(definitions(clock), definitions(clock)),
        new CheckSettings(Duration.ofMinutes(10), false),
        metrics);
  }

  private static <L> CachedDefinitions<L> definitions(InstantSource clock) {
    return new CachedDefinitions<>(
        new MemoryDefinitions<>(clock, 1_000), Duration.ofSeconds(5), System::nanoTime);
  }

  /** A running web server. */
  public static final class Served implements AutoCloseable {
    private final WebServer web;
    private final OpenParts open;

    private Served(WebServer web, OpenParts open) {
      this.web = web;
      this.open = open;
    }

    public URI address() {
      return web.address();
    }

    @Override
    public void close() {
      web.close();
      open.close();
    }
  }
}
