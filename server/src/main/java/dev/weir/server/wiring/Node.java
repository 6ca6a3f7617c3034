package dev.weir.server.wiring;

import dev.weir.engine.StoreException;
import dev.weir.engine.Upkeep;
import dev.weir.engine.rules.RuleDesk;
import dev.weir.engine.rules.TrustedProxies;
import dev.weir.engine.slots.Reconciler;
import dev.weir.engine.slots.SlotDesk;
import dev.weir.engine.slots.SlotLedger;
import dev.weir.engine.slots.SlotObserver;
import dev.weir.server.gateway.Gateway;
import dev.weir.server.gateway.GatewaySettings;
import dev.weir.server.metrics.EnvoyMetrics;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.metrics.SlotLog;
import dev.weir.server.metrics.SlotMetrics;
import dev.weir.server.rest.Limits;
import dev.weir.server.rest.Readiness;
import dev.weir.server.rest.RestSettings;
import dev.weir.server.rest.Routing;
import dev.weir.server.tracing.TracedLedger;
import dev.weir.server.tracing.Tracing;
import dev.weir.store.jdbc.ChangeListener;
import dev.weir.store.jdbc.Channel;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One running Weir: its database, its engine, its web server. Closing it drains it. */
public final class Node implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Node.class);
  private static final Duration SHORTEST_UPKEEP = Duration.ofMillis(10);

  /** Within which every time minus this is a time. */
  private static final Duration LONGEST_AGE = Duration.ofDays(100 * 365);

  /** What was started, last first. */
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  private final AtomicBoolean closed = new AtomicBoolean();
  private final Drain.Patience patience;
  private final WebServer web;
  private final Optional<EnvoyPort> envoy;
  private final Optional<Gateway> gateway;

  /** Starts everything; if one part fails, what was started before is stopped again. */
  public static Node start(Settings settings) {
    return new Startup().start(settings);
  }

  static Node start(Settings settings, Startup startup) {
    return new Node(settings, startup);
  }

  private Node(Settings settings, Startup startup) {
    boolean complete = false;
    // Settings are read before anything is started, so that a wrong one is told of at once.
    patience = WebServer.check(settings);
    RestSettings rest = rest(settings);
    Optional<EnvoyPort.Address> forEnvoy = EnvoyPort.check(settings);
    LimitSettings limiting = LimitSettings.of(settings);
    Optional<GatewaySettings> passing = GatewayParts.settings(settings);
    SlotDesk.Settings gathering = desk(settings);
    Reconciler.Settings reconciling = reconciler(settings);
    Optional<URI> collector = settings.webAddress(Setting.TRACING_ENDPOINT);
    int tracedPercent = settings.number(Setting.TRACING_PERCENT, 0, 100);
    Duration upkeepEvery =
        settings.duration(Setting.SLOTS_UPKEEP_EVERY, SHORTEST_UPKEEP, Duration.ofDays(1));
    probePorts(settings);
    startup.check();
    try {
      PrometheusRegistry metrics = new PrometheusRegistry();
      JvmMetrics.builder().register(metrics);
      GatewayMetrics passed = new GatewayMetrics(metrics);
      SlotObserver observer = new SlotLog(new SlotMetrics(metrics));
      Readiness readiness = () -> "";
      SlotParts parts;
      LimitParts limits;
      Routing routing;
      if (settings.choice(Setting.SLOTS_STORE, List.of("postgres", "memory")).equals("memory")) {
        parts = SlotParts.inMemory(settings, reconciling.retention(), observer);
        limits = LimitParts.open(limiting, Optional.empty(), metrics, started);
        routing = GatewayParts.routing(settings, Optional.empty());
      } else {
        Database database = Database.open(settings, startup);
        started.push(database);
        readiness = database::reasonAgainst;
        parts = onPostgres(settings, reconciling.retention(), database, observer);
        limits = onPostgres(limiting, database, metrics);
        routing = GatewayParts.routing(settings, Optional.of(database.pool()));
        started.push(listener(database, parts, limits, routing));
      }
      startup.check();
      started.push(
          upkeep("reading of rules", limits.limits().book()::refresh, limiting.cacheTtl()));
      Runnable readRoutes =
          () -> {
            routing.book().refresh();
            passed.routesKnown(routing.book().patterns());
          };
      started.push(upkeep("reading of routes", readRoutes, limiting.cacheTtl()));
      started.push(
          upkeep(
              "renewal of leases", limits.limits().desk()::renewLeases, RuleDesk.BETWEEN_RENEWALS));
      Optional<Tracing> tracing = collector.map(address -> new Tracing(address, tracedPercent));
      tracing.ifPresent(started::push);
      SlotLedger ledger =
          tracing
              .<SlotLedger>map(spans -> new TracedLedger(parts.ledger(), spans))
              .orElse(parts.ledger());
      SlotDesk desk = new SlotDesk(ledger, parts.cache(), gathering, observer);
      started.push(
          upkeep(
              "upkeep of slots",
              new Reconciler(parts.upkeep(), reconciling, observer),
              upkeepEvery));
      List<Object> served =
          new ArrayList<>(
              List.of(
                  rest,
                  readiness,
                  metrics,
                  desk,
                  parts.ledger(),
                  parts.configs(),
                  parts.cache(),
                  parts.broadcast(),
                  limits.limits(),
                  routing));
      tracing.ifPresent(served::add);
      EnvoyMetrics ofEnvoy = new EnvoyMetrics(metrics);
      envoy = forEnvoy.map(address -> EnvoyPort.start(address, rest, limits.limits(), ofEnvoy));
      envoy.ifPresent(started::push);
      gateway =
          passing.map(
              given ->
                  GatewayParts.start(
                      given, routing.book(), limits.limits(), rest.trustedProxies(), passed));
      gateway.ifPresent(started::push);
      startup.check();
      web = WebServer.start(settings, served, Map.of(Limits.BLOCKING, limits.isBlocking()));
      complete = true;
    } finally {
      if (!complete) {
        stopParts();
      }
    }
  }

  private static void probePorts(Settings settings) {
    PortProbe.refuseSame(
        settings,
        List.of(
            new PortProbe.Listener(Setting.HOST, Setting.PORT),
            new PortProbe.Listener(Setting.GRPC_HOST, Setting.GRPC_PORT),
            new PortProbe.Listener(Setting.GATEWAY_HOST, Setting.GATEWAY_PORT)));
    PortProbe.check(
        Setting.PORT, settings.text(Setting.HOST), settings.number(Setting.PORT, 0, 65_535));
    if (settings.optional(Setting.GRPC_PORT).isPresent()) {
      PortProbe.check(
          Setting.GRPC_PORT,
          settings.text(Setting.GRPC_HOST),
          settings.number(Setting.GRPC_PORT, 0, 65_535));
    }
    if (settings.optional(Setting.GATEWAY_PORT).isPresent()) {
      PortProbe.check(
          Setting.GATEWAY_PORT,
          settings.text(Setting.GATEWAY_HOST),
          settings.number(Setting.GATEWAY_PORT, 0, 65_535));
    }
  }

  /** Does something now and then, and tells the log if it cannot. */
  static Upkeep upkeep(String name, Runnable work, Duration every) {
    return new Upkeep(name, work, every, new Upkeep.Log(log::info, log::warn, log::error));
  }

  private static SlotParts onPostgres(
      Settings settings, Duration retention, Database database, SlotObserver observer) {
    try {
      return SlotParts.onPostgres(settings, retention, database.pool(), observer);
    } catch (StoreException e) {
      throw database.unusable(e);
    }
  }

  private LimitParts onPostgres(
      LimitSettings limiting, Database database, PrometheusRegistry metrics) {
    try {
      return LimitParts.open(limiting, Optional.of(database.pool()), metrics, started);
    } catch (StoreException e) {
      throw database.unusable(e);
    }
  }

  private static ChangeListener listener(
      Database database, SlotParts slots, LimitParts limits, Routing routing) {
    Map<Channel, ChangeListener.Hearer> hearers = new EnumMap<>(limits.hearers());
    hearers.put(Channel.SLOT_CONFIG, slots.hearer());
    hearers.put(
        Channel.ROUTE, LimitParts.hearer(id -> routing.book().refresh(), routing.book()::refresh));
    return new ChangeListener(database.pool(), hearers);
  }

  /** Where it listens. */
  public URI address() {
    return web.address();
  }

  /** The port on which Envoy's rate limit service listens, if it does. */
  public OptionalInt envoyPort() {
    return envoy.map(EnvoyPort::port).map(OptionalInt::of).orElse(OptionalInt.empty());
  }

  /** Where the gateway listens, if there is one. */
  public Optional<URI> gatewayAddress() {
    return gateway.map(Gateway::address);
  }

  /** Finishes what is under way, refuses what is new, then stops everything. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      Optional<Thread> leaving = envoy.map(port -> Thread.startVirtualThread(port::drain));
      Drain.run(patience, doors());
      web.close();
      leaving.ifPresent(Node::await);
      stopParts();
      log.info("Weir has stopped");
    }
  }

  private static void await(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Drain.Door> doors() {
    List<Drain.Door> doors = new ArrayList<>(List.of(web));
    gateway.map(Node::door).ifPresent(doors::add);
    return doors;
  }

  private static Drain.Door door(Gateway gateway) {
    return new Drain.Door() {
      @Override
      public void begin() {
        gateway.beginDraining();
      }

      @Override
      public void refuseNewcomers(Duration arrival) throws InterruptedException {
        gateway.refuseNewcomers(arrival);
      }

      @Override
      public CompletableFuture<Void> endWhenIdle(Duration idle) {
        return gateway.endWhenIdle(idle);
      }

      @Override
      public int count() {
        return gateway.count();
      }
    };
  }

  private void stopParts() {
    while (!started.isEmpty()) {
      AutoCloseable part = started.pop();
      try {
        part.close();
      } catch (Exception e) {
        // The others have to be stopped all the same.
        log.error("Could not stop {}", part, e);
      }
    }
  }

  private static SlotDesk.Settings desk(Settings settings) {
    return new SlotDesk.Settings(
        settings.number(Setting.SLOTS_LANES, 1, 64),
        settings.number(Setting.SLOTS_LARGEST_BATCH, 1, 50_000),
        SlotDesk.Settings.DEFAULT.mostWaiting(),
        // Waiting for two kinds of things, they leave half of the connections to the others.
        Math.clamp(settings.number(Setting.DB_POOL_MAX, 2, 1_000) / 4, 1, 16));
  }

  private static Reconciler.Settings reconciler(Settings settings) {
    Duration retention =
        settings.optional(Setting.SLOTS_RETENTION).isPresent()
            ? settings.duration(Setting.SLOTS_RETENTION, Duration.ZERO, LONGEST_AGE)
            : Reconciler.Settings.FOREVER;
    return new Reconciler.Settings(
        settings.duration(Setting.SLOTS_LEAK_GRACE, Duration.ZERO, LONGEST_AGE),
        settings.flag(Setting.SLOTS_RECLAIM),
        retention,
        50);
  }

  private static TrustedProxies trustedProxies(Settings settings) {
    try {
      return TrustedProxies.of(settings.list(Setting.TRUSTED_PROXIES));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          Setting.TRUSTED_PROXIES.key(), String.valueOf(e.getMessage()));
    }
  }

  private static RestSettings rest(Settings settings) {
    Set<String> keys = settings.secrets(Setting.CLIENT_KEYS);
    return new RestSettings(
        settings.configName(Setting.SLOTS_DEFAULT_NAME),
        settings.secret(Setting.ADMIN_TOKEN),
        OidcSettings.issuer(settings),
        keys,
        trustedProxies(settings));
  }
}
