package dev.weir.server.envoy;

import com.google.protobuf.UInt64Value;
import com.google.protobuf.UnknownFieldSet;
import dev.weir.TrustedProxies;
import dev.weir.http.authentication.AuthMetrics;
import dev.weir.http.authentication.FailedLogins;
import dev.weir.http.connections.ListenerSettings;
import dev.weir.http.connections.RequestMemory;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.LimitStore;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.RuleObserver;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.server.metrics.EnvoyMetrics;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Rules in memory behind a real port, a clock in the hands of the test, and a client. */
final class ServedRules implements AutoCloseable {
  static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  final PrometheusRegistry metrics = new PrometheusRegistry();
  final AtomicInteger waiting = new AtomicInteger();

  /** The number of calls that have ever waited. */
  final AtomicInteger queued = new AtomicInteger();

  final LeaseStore leases;
  final EnvoyServer server;
  final ManagedChannel channel;

  private final RuleIndex index;
  private final MemoryRules rules;

  private ServedRules(Stores stores, boolean isBlocking, Optional<Predicate<String>> isKey)
      throws IOException {
    this(stores, isBlocking, isKey, RequestMemory.ofThisProcess());
  }

  private ServedRules(
      Stores stores, boolean isBlocking, Optional<Predicate<String>> isKey, RequestMemory memory)
      throws IOException {
    InstantSource clock = InstantSource.fixed(NOON);
    leases = stores.leases();
    rules = new MemoryRules(clock);
    RuleObserver observer =
        new RuleObserver() {
          @Override
          public void waiting(int more) {
            waiting.addAndGet(more);
            queued.addAndGet(Math.max(0, more));
          }
        };
    index = new RuleIndex(rules, observer);
    RuleEvaluator evaluator =
        new RuleEvaluator(
            index, new RuleEvaluator.Stores(stores.counts(), leases, leases), observer);
    server =
        EnvoyServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new ListenerSettings.Connections(100, 100, TrustedProxies.NONE),
            new EnvoyServer.Parts(
                index, evaluator, stores.counts(), isBlocking, new EnvoyMetrics(metrics), memory),
            isKey.map(
                known -> new EnvoyServer.Keys(known, new FailedLogins(new AuthMetrics(metrics)))));
    channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
            .usePlaintext()
            .build();
  }

  /** The store of the counts, possibly for several nodes. */
  record Stores(LimitStore counts, LeaseStore leases) {
    static Stores inMemory() {
      InstantSource clock = InstantSource.fixed(NOON);
      return new Stores(new MemoryLimitStore(clock, 100_000), new MemoryLeaseStore(clock));
    }
  }

  /** Always at noon. */
  static ServedRules start() throws IOException {
    return new ServedRules(Stores.inMemory(), false, Optional.empty());
  }

  /** One of several nodes, which behaves as if its store were remote. */
  static ServedRules sharing(Stores stores) throws IOException {
    return new ServedRules(stores, true, Optional.empty());
  }

  /** Messages in progress have a budget. */
  static ServedRules withMemory(RequestMemory memory) throws IOException {
    return new ServedRules(Stores.inMemory(), false, Optional.empty(), memory);
  }

  static ServedRules guarded(String key) throws IOException {
    return new ServedRules(Stores.inMemory(), false, Optional.of(key::equals));
  }

  ServedRules with(RuleSpec... specs) {
    Arrays.stream(specs).forEach(spec -> rules.create(spec, "test"));
    index.refresh();
    return this;
  }

  RateLimitServiceGrpc.RateLimitServiceBlockingStub client() {
    return RateLimitServiceGrpc.newBlockingStub(channel);
  }

  RateLimitResponse ask(RateLimitDescriptor... descriptors) {
    return client().shouldRateLimit(request(descriptors));
  }

  ServingStatus health() {
    return HealthGrpc.newBlockingStub(channel)
        .check(
            HealthCheckRequest.newBuilder().setService(RateLimitServiceGrpc.SERVICE_NAME).build())
        .getStatus();
  }

  static RateLimitRequest request(RateLimitDescriptor... descriptors) {
    return RateLimitRequest.newBuilder()
        .setDomain("edge")
        .addAllDescriptors(Arrays.asList(descriptors))
        .build();
  }

  /** A descriptor of keys and values in turns. */
  static RateLimitDescriptor descriptor(String... keysAndValues) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      descriptor.addEntries(
          RateLimitDescriptor.Entry.newBuilder()
              .setKey(keysAndValues[i])
              .setValue(keysAndValues[i + 1]));
    }
    return descriptor.build();
  }

  static RuleSpec inAMinute(String name, long limit) {
    return RuleSpec.of(name, Quota.Rate.of(FixedWindow.of(limit, Duration.ofMinutes(1))));
  }

  static RateLimitDescriptor hits(RateLimitDescriptor descriptor, long hits) {
    return descriptor.toBuilder().setHitsAddend(UInt64Value.of(hits)).build();
  }

  /** As a newer Envoy sends it. */
  static RateLimitDescriptor negative(RateLimitDescriptor descriptor) {
    return descriptor.toBuilder()
        .setUnknownFields(
            UnknownFieldSet.newBuilder()
                .addField(4, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build())
        .build();
  }

  static Map<String, String> fields(RateLimitResponse response) {
    return response.getResponseHeadersToAddList().stream()
        .collect(Collectors.toMap(HeaderValue::getKey, HeaderValue::getValue));
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.close();
  }
}
