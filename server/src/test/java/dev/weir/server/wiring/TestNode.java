package dev.weir.server.wiring;

import dev.weir.TrustedProxies;
import dev.weir.http.authentication.AuthMetrics;
import dev.weir.http.authentication.Exposure;
import dev.weir.http.authentication.FailedLogins;
import dev.weir.http.authentication.HttpSettings;
import dev.weir.internal.Micros;
import dev.weir.limits.internal.CachedDefinitions;
import dev.weir.limits.internal.MemoryDefinitions;
import dev.weir.limits.internal.OpenWhenFull;
import dev.weir.limits.internal.Settlements;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.CountingStore;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.node.wiring.WebServer;
import dev.weir.node.wiring.WebSettings;
import dev.weir.notifications.server.node.OpenNotifications;
import dev.weir.payments.server.node.PaymentsPart;
import dev.weir.routes.internal.MemoryRoutes;
import dev.weir.routes.internal.RouteTable;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.server.dashboard.node.DashboardCapability;
import dev.weir.server.gateway.node.GatewaySetting;
import dev.weir.server.gateway.node.OpenRoutes;
import dev.weir.server.limits.node.LimitStores;
import dev.weir.server.limits.node.OpenLimits;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.metrics.SlotMetrics;
import dev.weir.server.operations.node.OperationsCapability;
import dev.weir.server.rules.CheckSettings;
import dev.weir.server.rules.node.OpenRules;
import dev.weir.server.slots.DefaultConfig;
import dev.weir.server.slots.LeakGrace;
import dev.weir.server.slots.node.OpenSlots;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.slots.internal.MemorySlotLedger;
import dev.weir.slots.internal.Reconciler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
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

  private static final Duration START_BOUND = Duration.ofMinutes(5);

  private static final int UPKEEP_STEPS = 50;

  private TestNode() {}

  /** A whole node that keeps slots in memory, on a free port. */
  public static Node inMemory(Map<Setting, String> more) {
    Map<Setting, String> given = new HashMap<>();
    given.put(ServerSetting.PORT, "0");
    given.put(StoreSetting.SLOTS_STORE, "memory");
    // Idle clients of a test that is over are not waited for.
    given.put(ServerSetting.DRAIN, "PT0S");
    // A busy machine may pause a client or an upstream at any time.
    given.put(ServerSetting.HTTP_HEAD_TIMEOUT, LONG);
    given.put(ServerSetting.HTTP_IDLE_TIMEOUT, LONG);
    given.put(GatewaySetting.HEAD_TIMEOUT, LONG);
    given.put(GatewaySetting.IDLE_TIMEOUT, LONG);
    given.put(GatewaySetting.CONNECT_TIMEOUT, LONG);
    given.put(GatewaySetting.ANSWER_TIMEOUT, LONG);
    given.putAll(more);
    return Node.start(Capabilities.read(given, Map.of(), Optional.empty()));
  }

  /**
   * A whole node that waits for its database for a short time only. It is started again when it
   * refuses to start, as its service does: on a busy machine the database may take longer.
   */
  public static Node impatient(Settings settings) {
    long deadlineNanos = System.nanoTime() + START_BOUND.toNanos();
    while (true) {
      try {
        return Node.start(settings);
      } catch (InvalidSettingException e) {
        if (System.nanoTime() - deadlineNanos > 0) {
          throw e;
        }
      }
    }
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
    Settings settings =
        Capabilities.read(
            Map.of(
                ServerSetting.PORT,
                "0",
                ServerSetting.HTTP_HEAD_TIMEOUT,
                LONG,
                ServerSetting.HTTP_IDLE_TIMEOUT,
                LONG),
            Map.of(),
            Optional.empty());
    OpenParts open = new OpenParts();
    OpeningNode node = new OpeningNode(Optional.empty(), Set.of(), new PrometheusRegistry(), open);
    node.bean(http);
    node.bean(new FailedLogins(new AuthMetrics(node.metrics())));
    node.bean(new DefaultConfig("default"));
    node.bean(new LeakGrace(Duration.ofMinutes(5)));
    SlotScheduler scheduler = SlotScheduler.on(SlotStore.of(ledger, memory, memory, () -> {}));
    new OpenSlots(scheduler, scheduler::forgetConfigs).addTo(node);
    node.share(
        new Reconciler.Settings(
            Duration.ofMinutes(5), false, Reconciler.Settings.FOREVER, UPKEEP_STEPS));
    node.share(new SlotMetrics(node.metrics()));
    node.share(new GatewayMetrics(node.metrics()));
    MemoryLeaseStore leases = new MemoryLeaseStore(clock);
    addLimits(node, clock, leases);
    routes(clock).addTo(node);
    OpenNotifications.none(node.metrics()).addTo(node);
    PaymentsPart.none(node.metrics()).addTo(node);
    new DashboardCapability().configure(settings).open(node);
    new OperationsCapability().configure(settings).open(node);
    return new Served(
        WebServer.start(
            WebSettings.of(settings, http.trustedProxies()), node.beans(), node.properties()),
        open,
        leases);
  }

  private static OpenRoutes routes(InstantSource clock) {
    MemoryRoutes routes = new MemoryRoutes(clock);
    return new OpenRoutes(routes, new RouteTable(List.of(), routes));
  }

  /** Adds limits and rules in memory with the clock of the test. */
  private static void addLimits(OpeningNode node, InstantSource clock, MemoryLeaseStore leases) {
    LimitMetrics metrics = new LimitMetrics(node.metrics());
    MemoryRules rules = new MemoryRules(clock);
    LongSupplier nowMicros = () -> Micros.ceil(clock.instant());
    OpenWhenFull counts = new OpenWhenFull(new MemoryLimitStore(clock, 1_000), nowMicros);
    LimitStores stores = new LimitStores(counts, leases, leases);
    RuleIndex index = new RuleIndex(rules, metrics);
    Settlements settlements =
        new Settlements(counts, Duration.ofSeconds(5), Upkeep.LOG, System::nanoTime);
    index.onLimitChange(settlements::owe);
    node.share(new CountingStore("memory", false, false));
    new OpenLimits(
            stores,
            settlements,
            new OpenLimits.Resources(definitions(clock), definitions(clock)),
            metrics)
        .addTo(node);
    new OpenRules(
            rules,
            index,
            new RuleEvaluator(index, stores.forRules(), metrics),
            () -> {},
            new CheckSettings(Duration.ofMinutes(10), false))
        .addTo(node);
  }

  private static <L> CachedDefinitions<L> definitions(InstantSource clock) {
    return new CachedDefinitions<>(
        new MemoryDefinitions<>(clock, 1_000), Duration.ofSeconds(5), System::nanoTime);
  }

  /** A running web server. */
  public static final class Served implements AutoCloseable {
    private final WebServer web;
    private final OpenParts open;
    private final MemoryLeaseStore leases;

    private Served(WebServer web, OpenParts open, MemoryLeaseStore leases) {
      this.web = web;
      this.open = open;
      this.leases = leases;
    }

    /** The leases of its limits, and the places in the queues of its rules. */
    public MemoryLeaseStore leases() {
      return leases;
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
