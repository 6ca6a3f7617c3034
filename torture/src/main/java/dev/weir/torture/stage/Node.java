package dev.weir.torture.stage;

import dev.weir.server.faults.Api;
import dev.weir.server.faults.NodeProcess;
import dev.weir.server.faults.Relay;
import dev.weir.server.faults.Stopped;
import dev.weir.server.faults.Waiting;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A node in a process of its own, and the ways to it and from it, each behind a relay. Thread-safe:
 * two faults may meet at it.
 */
public final class Node implements AutoCloseable {
  /** The max number of calls of the payment API in a second, of all nodes together. */
  public static final int CEILING = 20;

  /** How long after its first call a payment may be called again. */
  public static final Duration GIVE_UP_AFTER = Duration.ofMinutes(1);

  /** How late a slot is that counts as leaked, and is reclaimed unless it was confirmed. */
  public static final Duration LEAK_GRACE = Duration.ofSeconds(5);

  /** How long a caller waits for an answer. */
  private static final Duration WAIT = Duration.ofSeconds(10);

  private final Plan plan;
  private final NodeProcess process;
  private final Optional<FakeClock> clock;
  private final Relay toDatabase;
  private final Optional<Relay> toRedis;
  private final Relay toPaymentApi;
  private final Relay fromClients;
  private final GatewayWays gateway;
  private final Api api;

  /** The index of the program that runs. */
  private int version;

  private Node(
      Plan plan,
      NodeProcess process,
      Optional<FakeClock> clock,
      Relay toDatabase,
      Optional<Relay> toRedis,
      Relay toPaymentApi,
      Relay fromClients,
      GatewayWays gateway) {
    this.plan = plan;
    this.process = process;
    this.clock = clock;
    this.toDatabase = toDatabase;
    this.toRedis = toRedis;
    this.toPaymentApi = toPaymentApi;
    this.fromClients = fromClients;
    this.gateway = gateway;
    this.api = new Api(URI.create("http://127.0.0.1:" + fromClients.port()), WAIT);
  }

  /**
   * What a node is started with.
   *
   * @param programs the words that start each version of the program; the first one is used first
   */
  record Plan(int number, Path folder, List<List<String>> programs, String limitsStore) {}

  static Node start(Plan plan, Stage stage) throws IOException {
    Relay toDatabase = new Relay(stage.database().port());
    // Redis that redirect nodes have a way of their own each.
    Optional<Relay> toRedis =
        stage.redisGroup().isPresent()
            ? Optional.empty()
            : Optional.of(new Relay(stage.singleRedis().port()));
    Relay toPaymentApi = new Relay(stage.paymentApi().port());
    Map<String, String> settings = new HashMap<>(stage.database().environment(toDatabase.port()));
    settings.put("WEIR_DB_WAIT", "PT2S");
    settings.put("WEIR_SLOTS_RECLAIM", "true");
    settings.put("WEIR_SLOTS_LEAK_GRACE", LEAK_GRACE.toString());
    settings.put("WEIR_SLOTS_UPKEEP_EVERY", "PT2S");
    // Longer than the usual, so that only comparing versions protects from what is outdated.
    settings.put("WEIR_SLOTS_CACHE_TTL", "PT1M");
    settings.put("WEIR_LIMITS_STORE", plan.limitsStore());
    settings.put("WEIR_LIMITS_NODES", Integer.toString(Stage.NODES));
    stage.redisGroup().ifPresent(group -> settings.put("WEIR_REDIS_URI", group.uri()));
    toRedis.ifPresent(relay -> settings.put("WEIR_REDIS_URI", "redis://127.0.0.1:" + relay.port()));
    settings.put("WEIR_PAYMENTS_DOWNSTREAM", "http://127.0.0.1:" + toPaymentApi.port());
    settings.put("WEIR_PAYMENTS_DOWNSTREAM_TIMEOUT", "PT2S");
    settings.put("WEIR_PAYMENTS_DOWNSTREAM_LATENESS", "PT8S");
    settings.put("WEIR_PAYMENTS_DOWNSTREAM_PAUSE", "PT8S");
    if (stage.looksUpPayments()) {
      settings.put("WEIR_PAYMENTS_DOWNSTREAM_LOOKUP", PaymentApi.LOOK_UP);
    }
    settings.put("WEIR_PAYMENTS_CEILING", Integer.toString(CEILING));
    settings.put("WEIR_PAYMENTS_GRACE", "PT2S");
    settings.put("WEIR_PAYMENTS_GIVE_UP_AFTER", GIVE_UP_AFTER.toString());
    GatewayWays gateway = GatewayWays.to(stage.upstream());
    settings.putAll(gateway.environment());
    stage.messages().ifPresent(parts -> settings.putAll(parts.environment()));
    String name = "node-" + plan.number();
    Optional<FakeClock> clock = FakeClock.in(plan.folder().resolve(name + ".clock"));
    clock.ifPresent(fake -> settings.putAll(fake.environment()));
    NodeProcess process =
        NodeProcess.start(
            plan.folder().resolve(name + ".log"), settings, plan.programs().getFirst());
    Relay fromClients = new Relay(process.address().getPort());
    return new Node(plan, process, clock, toDatabase, toRedis, toPaymentApi, fromClients, gateway);
  }

  /** From 1. */
  public int number() {
    return plan.number();
  }

  public Api api() {
    return api;
  }

  /** The id of its process. */
  public long pid() {
    return process.pid();
  }

  /** The port by which clients reach its gateway. */
  public int gatewayPort() {
    return gateway.port();
  }

  public Optional<FakeClock> clock() {
    return clock;
  }

  /** Leads it to another PostgreSQL from now on. */
  void switchDatabase(int port) {
    toDatabase.switchTo(port);
  }

  /** The ways to it, and from it to these parts. */
  List<Way> ways(Set<Part> parts, boolean withRedis) {
    List<Way> ways = new ArrayList<>();
    ways.add(new Way("clients to " + this, fromClients));
    ways.add(new Way(this + " to PostgreSQL", toDatabase));
    if (parts.contains(Part.PAYMENT_API)) {
      ways.add(new Way(this + " to the payment API", toPaymentApi));
    }
    if (parts.contains(Part.UPSTREAM)) {
      ways.addAll(gateway.ways(this));
    }
    if (withRedis) {
      toRedis.ifPresent(relay -> ways.add(new Way(this + " to Redis", relay)));
    }
    return ways;
  }

  /**
   * Waits until it may be used. It is started again if it has ended because its database was lost,
   * or too slow for it, while it started, as its service does.
   */
  public void awaitReady() {
    process.awaitReady(this::startAgainIfItRefused);
  }

  /** By one thread at a time, because a fault may start it again too. */
  private synchronized boolean startAgainIfItRefused() throws IOException {
    return process.startAgainIfItRefused();
  }

  /** Waits until it may be used, but no longer than this. */
  public void awaitReady(Duration bound) {
    long deadlineNanos = System.nanoTime() + bound.toNanos();
    try (Api direct = new Api(process.address(), bound)) {
      Waiting.until(
          "a node to be ready",
          () -> {
            try {
              return System.nanoTime() - deadlineNanos > 0
                  || direct.get("/health/ready").statusCode() == 200;
            } catch (IOException e) {
              return false;
            }
          });
    }
  }

  /** Ends it by SIGKILL and starts it again. */
  public synchronized void killAndRestart() throws IOException {
    kill();
    process.restart();
  }

  /** Stops it in an orderly way, and starts another version in its place. */
  public synchronized void restartWithNextVersion() throws IOException {
    long pid = process.pid();
    process.close();
    if (clock.isPresent()) {
      FakeClock.cleanUpAfter(pid);
    }
    version = (version + 1) % plan.programs().size();
    process.restart(plan.programs().get(version));
  }

  private void kill() throws IOException {
    long pid = process.pid();
    process.kill();
    if (clock.isPresent()) {
      FakeClock.cleanUpAfter(pid);
    }
  }

  /** Stops it by SIGSTOP until the result is closed. */
  public Stopped suspend() throws IOException {
    return process.suspend();
  }

  @Override
  public void close() throws IOException {
    api.close();
    kill();
    for (Way way : ways(EnumSet.allOf(Part.class), true)) {
      way.relay().close();
    }
  }

  @Override
  public String toString() {
    return "node " + plan.number();
  }
}
