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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node in a process of its own, and the ways to it and from it, each behind a relay. */
public final class Node implements AutoCloseable {
  /** How long a caller waits for an answer. */
  private static final Duration WAIT = Duration.ofSeconds(10);

  private final int number;
  private final NodeProcess process;
  private final Optional<FakeClock> clock;
  private final Relay toDatabase;
  private final Relay toRedis;
  private final Relay fromClients;
  private final Api api;

  private Node(
      int number,
      NodeProcess process,
      Optional<FakeClock> clock,
      Relay toDatabase,
      Relay toRedis,
      Relay fromClients) {
    this.number = number;
    this.process = process;
    this.clock = clock;
    this.toDatabase = toDatabase;
    this.toRedis = toRedis;
    this.fromClients = fromClients;
    this.api = new Api(URI.create("http://127.0.0.1:" + fromClients.port()), WAIT);
  }

  /** What a node is started with. */
  record Plan(int number, Path folder, List<String> program, String limitsStore) {}

  static Node start(Plan plan, Stage stage) throws IOException {
    Relay toDatabase = new Relay(stage.database().port());
    Relay toRedis = new Relay(stage.redis().port());
    Map<String, String> settings = new HashMap<>(stage.database().environment(toDatabase.port()));
    settings.put("WEIR_DB_WAIT", "PT2S");
    settings.put("WEIR_LIMITS_STORE", plan.limitsStore());
    settings.put("WEIR_LIMITS_NODES", Integer.toString(Stage.NODES));
    settings.put("WEIR_REDIS_URI", "redis://127.0.0.1:" + toRedis.port());
    String name = "node-" + plan.number();
    // One clock is wrong, the others are right: what differs is what matters.
    Optional<FakeClock> clock =
        plan.number() == Stage.NODES
            ? FakeClock.in(plan.folder().resolve(name + ".clock"))
            : Optional.empty();
    clock.ifPresent(fake -> settings.putAll(fake.environment()));
    NodeProcess process =
        NodeProcess.start(plan.folder().resolve(name + ".log"), settings, plan.program());
    Relay fromClients = new Relay(process.address().getPort());
    return new Node(plan.number(), process, clock, toDatabase, toRedis, fromClients);
  }

  /** From 1. */
  public int number() {
    return number;
  }

  public Api api() {
    return api;
  }

  public Optional<FakeClock> clock() {
    return clock;
  }

  /** The ways of connections, by what is at their ends. */
  public List<Way> ways() {
    return List.of(
        new Way("clients to node " + number, fromClients),
        new Way("node " + number + " to PostgreSQL", toDatabase),
        new Way("node " + number + " to Redis", toRedis));
  }

  /** A way that connections take. */
  public record Way(String name, Relay relay) {}

  public void awaitReady() {
    process.awaitReady();
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
  public void killAndRestart() throws IOException {
    kill();
    process.restart();
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
    for (Way way : ways()) {
      way.relay().close();
    }
  }

  @Override
  public String toString() {
    return "node " + number;
  }
}
