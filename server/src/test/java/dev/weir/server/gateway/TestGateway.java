package dev.weir.server.gateway;

import dev.weir.TrustedProxies;
import dev.weir.internal.LimitNames;
import dev.weir.internal.Micros;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Queue;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.register.Change;
import dev.weir.routes.internal.MemoryRoutes;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.routes.internal.RouteTable;
import dev.weir.routes.internal.Routes;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.Rule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.RuleObserver;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.spec.Coverage;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.server.http.Http;
import dev.weir.server.metrics.GatewayMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A gateway for tests, with rules in memory that the test may change. */
final class TestGateway implements AutoCloseable {
  /** Short enough to be waited for. */
  static final Duration SHORT = Duration.ofSeconds(1);

  /** Longer than anything takes, on however busy a machine. */
  static final Duration LONG = Duration.ofHours(1);

  static final GatewaySettings.Times PATIENT =
      new GatewaySettings.Times(LONG, LONG, LONG, LONG, LONG);

  /** With short timeouts. */
  static final GatewaySettings.Times SOON_IDLE =
      new GatewaySettings.Times(LONG, SHORT, LONG, LONG, LONG);

  /** So many that the last of them waits for most of an hour. */
  private static final int MANY_PLACES = 100;

  private final MemoryRules rules = new MemoryRules(InstantSource.system());
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger queued = new AtomicInteger();
  private final RuleObserver observer =
      new RuleObserver() {
        @Override
        public void waiting(int more) {
          waiting.addAndGet(more);
          queued.addAndGet(Math.max(0, more));
        }
      };
  private final RuleIndex index = new RuleIndex(rules, observer);
  private final AtomicLong standingMicros = new AtomicLong();
  private final AtomicInteger stoppedThreads = new AtomicInteger();
  private volatile @Nullable CountDownLatch stopped;
  private final MemoryLeaseStore leases = new MemoryLeaseStore(() -> Micros.instant(nowMicros()));
  private final MemoryRoutes routes = new MemoryRoutes(InstantSource.system());
  private final RouteTable routeBook;
  private final Gateway gateway;

  /** What a test may choose. */
  record Choice(
      GatewaySettings.Times times,
      GatewaySettings.Bounds bounds,
      boolean isBlocking,
      TrustedProxies proxies) {
    static final Choice DEFAULTS =
        new Choice(PATIENT, GatewaySettings.Bounds.DEFAULT, false, TrustedProxies.NONE);

    Choice times(GatewaySettings.Times others) {
      return new Choice(others, bounds, isBlocking, proxies);
    }

    Choice bounds(GatewaySettings.Bounds others) {
      return new Choice(times, others, isBlocking, proxies);
    }

    Choice blocking() {
      return new Choice(times, bounds, true, proxies);
    }

    Choice trusting(String network) {
      return new Choice(times, bounds, isBlocking, TrustedProxies.of(List.of(network)));
    }
  }

  TestGateway(String upstream) throws IOException {
    this(Choice.DEFAULTS, RouteSpec.of("/**", upstream));
  }

  TestGateway(Choice choice, String upstream) throws IOException {
    this(choice, RouteSpec.of("/**", upstream));
  }

  TestGateway(Optional<Path> trust, String upstream) throws IOException {
    this(Choice.DEFAULTS, trust, RouteSpec.of("/**", upstream));
  }

  TestGateway(Choice choice, RouteSpec... given) throws IOException {
    this(choice, Optional.empty(), given);
  }

  private TestGateway(Choice choice, Optional<Path> trust, RouteSpec... given) throws IOException {
    routeBook = new RouteTable(List.of(given), routes);
    gateway =
        Gateway.start(
            new GatewaySettings("127.0.0.1", 0, choice.times(), choice.bounds(), trust),
            new GatewayEngine(
                routeBook,
                new RuleEvaluator(
                    index,
                    new RuleEvaluator.Stores(
                        new MemoryLimitStore(() -> Micros.instant(nowMicros()), 100_000),
                        leases,
                        leases),
                    observer),
                choice.isBlocking(),
                choice.proxies(),
                new GatewayMetrics(new PrometheusRegistry())));
  }

  private long nowMicros() {
    CountDownLatch until = stopped;
    if (until != null) {
      stoppedThreads.incrementAndGet();
      try {
        until.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    long standing = standingMicros.get();
    return standing == 0 ? Micros.ceil(Instant.now()) : standing;
  }

  /**
   * Stops the clock of the stores: all requests arrive at the same time, however busy the machine
   * is. Waits still take their time.
   */
  void letTheClockStand() {
    standingMicros.set(nowMicros());
  }

  /** Stops each thread that decides about a request, until the latch opens. */
  void stopDeciding(CountDownLatch until) {
    stopped = until;
  }

  int stoppedThreads() {
    return stoppedThreads.get();
  }

  /** Limits each address to {@code max} requests a day, on all paths of a pattern. */
  Rule limit(String path, long max, Quota.QueueSettings waiting) {
    return rule(path, new Quota.Rate(window(max), waiting), spec -> spec);
  }

  Rule rule(String path, Quota quota, UnaryOperator<RuleSpec> change) {
    RuleSpec spec = RuleSpec.of("rule " + path, quota).covering(Coverage.of(PathPattern.of(path)));
    Rule rule = ((Change.Done<Rule>) rules.create(change.apply(spec), "test")).entry();
    index.refresh();
    return rule;
  }

  /**
   * Limits the clients of this test to one request, on all paths. Another one may wait, behind
   * others that have all places of the queue but one: longer than anything takes, on however busy a
   * machine.
   */
  void limitToOneAndALongWait() {
    // No place becomes free by itself.
    letTheClockStand();
    long delayMillis = Quota.QueueSettings.MAX_DELAY_MILLIS;
    Rule rule = limit("/**", 1, new Quota.QueueSettings(true, MANY_PLACES, delayMillis));
    String resource = LimitNames.resource("queue", rule.name(), "127.0.0.1");
    Queue queue = Queue.of(MANY_PLACES, Duration.ofMillis(delayMillis));
    for (int i = 1; i < MANY_PLACES; i++) {
      leases.join(resource, queue, "before-" + i);
    }
  }

  static FixedWindow window(long max) {
    return FixedWindow.of(max, Duration.ofDays(1));
  }

  void delete(Rule rule) {
    rules.remove(rule.id(), rule.version(), "test");
    index.refresh();
  }

  void route(String path, String upstream) {
    routes.create(RouteSpec.of(path, upstream), "test");
    routeBook.refresh();
  }

  void reroute(long id, String path, String upstream) {
    routes.change(id, Routes.ANY_VERSION, RouteSpec.of(path, upstream), "test");
    routeBook.refresh();
  }

  /** The number of requests that wait in queues. */
  int waiting() {
    return waiting.get();
  }

  /** The number of requests that have ever waited in queues. */
  int queued() {
    return queued.get();
  }

  int leases(Rule rule, String key) {
    return leases.current(new RuleCheck(index.find(rule.name()), key, 1).leaseResource());
  }

  URI address() {
    return gateway.address();
  }

  Http http() {
    return new Http(address());
  }

  Gateway gateway() {
    return gateway;
  }

  @Override
  public void close() {
    gateway.close();
  }
}
