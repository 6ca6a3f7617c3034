package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.tck.internal.FreePort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Three nodes of a Redis Cluster, to which replicas can be added. */
final class ClusterServers implements AutoCloseable {
  private static final int SLOTS = 16_384;

  /** Redis gives up a failover after five seconds; then it has to be requested again. */
  private static final Duration GIVEN_UP = Duration.ofSeconds(6);

  /** A master that has voted votes again only a while later. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(4);

  /** In milliseconds; so that a node that only does not run is not taken for failed. */
  private static final String PATIENT = "600000";

  /** The default of Redis. A failover that has failed is repeated after a multiple of it. */
  private static final String USUAL = "15000";

  private final RedisProgram program;
  private final List<RedisServer> nodes;
  private final String[] options;

  private ClusterServers(RedisProgram program, List<RedisServer> nodes, String... options) {
    this.program = program;
    this.nodes = nodes;
    this.options = options;
  }

  static ClusterServers start(RedisProgram program) {
    return start(program, true);
  }

  /**
   * @param isWholeOrNothing whether all nodes refuse commands while one is down, the default of
   *     Redis
   */
  static ClusterServers start(RedisProgram program, boolean isWholeOrNothing) {
    String whole = isWholeOrNothing ? "yes" : "no";
    String[] options = {
      "--cluster-enabled", "yes",
      "--cluster-require-full-coverage", whole,
      "--cluster-node-timeout", PATIENT
    };
    List<RedisServer> nodes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      nodes.add(startNode(program, options));
    }
    for (int i = 0; i < 3; i++) {
      giveSlots(nodes.get(i), i, 3);
      meet(nodes.get(i), nodes.getFirst());
    }
    ClusterServers cluster = new ClusterServers(program, nodes, options);
    cluster.waitUntilWhole();
    return cluster;
  }

  /** Starts a node that talks to others on a port that no other process finds. */
  private static RedisServer startNode(RedisProgram program, String... options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("--cluster-port", Integer.toString(FreePort.find())));
    return RedisServer.start(program, all.toArray(String[]::new));
  }

  private static void meet(RedisServer node, RedisServer other) {
    String bus = other.command("CONFIG GET cluster-port").lines().toList().get(4);
    command(node, "CLUSTER MEET 127.0.0.1 %d %s".formatted(other.port(), bus));
  }

  /** Assigns a node its share of the slots; the first node is 0. */
  static void giveSlots(RedisServer node, int part, int parts) {
    int first = SLOTS * part / parts;
    int last = SLOTS * (part + 1) / parts - 1;
    assertThat(node.command("CLUSTER ADDSLOTSRANGE %d %d".formatted(first, last)))
        .startsWith("+OK");
  }

  String uri() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.port())
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  List<RedisServer> nodes() {
    return nodes;
  }

  /** Starts a replica of a node, and returns when it has caught up. */
  RedisServer addReplica(RedisServer master) {
    RedisServer replica = startNode(program, options);
    nodes.add(replica);
    meet(replica, master);
    waitUntilWhole();
    command(replica, "CLUSTER REPLICATE " + idOf(master));
    replica.waitUntil("INFO replication", "master_link_status:up");
    // Nodes that do not yet know it as a replica would not vote for it.
    nodes.forEach(node -> node.waitUntil("CLUSTER NODES", "slave " + idOf(master)));
    nodes.forEach(node -> command(node, "CONFIG SET cluster-node-timeout " + USUAL));
    return replica;
  }

  /** Promotes a replica without data loss: the old master stops and hands over all its data. */
  static void handOverTo(RedisServer replica) {
    long deadlineNanos = System.nanoTime() + MAX_WAIT.toNanos();
    String answer = "";
    while (!replica.command("ROLE").contains("master")) {
      assertThat(System.nanoTime()).as(answer).isLessThan(deadlineNanos);
      answer = replica.command("CLUSTER FAILOVER");
      long givenUpNanos = System.nanoTime() + GIVEN_UP.toNanos();
      while (!replica.command("ROLE").contains("master") && System.nanoTime() < givenUpNanos) {
        pause();
      }
    }
  }

  /** An action between two steps. */
  @FunctionalInterface
  interface Pause {
    void pass() throws Exception;
  }

  /**
   * Moves a slot with its keys from one node to another, as {@code --cluster reshard} does.
   *
   * @param pause runs after each step, and sometimes between keys
   */
  void moveSlot(int slot, RedisServer from, RedisServer to, Pause pause) throws Exception {
    String setSlot = "CLUSTER SETSLOT " + slot;
    command(to, setSlot + " IMPORTING " + idOf(from));
    command(from, setSlot + " MIGRATING " + idOf(to));
    pause.pass();
    for (int moved = 1; ; moved++) {
      List<String> lines =
          from.command("CLUSTER GETKEYSINSLOT %d 1".formatted(slot)).lines().toList();
      if (lines.size() < 3) {
        break;
      }
      command(from, "MIGRATE 127.0.0.1 %d %s 0 120000".formatted(to.port(), lines.get(2)));
      if (moved % 25 == 0) {
        pause.pass();
      }
    }
    pause.pass();
    command(to, setSlot + " NODE " + idOf(to));
    pause.pass();
    command(from, setSlot + " NODE " + idOf(to));
  }

  private static void command(RedisServer server, String line) {
    String answer = server.command(line);
    if (!answer.startsWith("+OK")) {
      throw new IllegalStateException(line + ": " + answer);
    }
  }

  private static String idOf(RedisServer node) {
    return node.command("CLUSTER MYID").lines().toList().get(1);
  }

  void waitUntilWhole() {
    long deadline = System.nanoTime() + MAX_WAIT.toNanos();
    for (RedisServer node : nodes) {
      while (!isWhole(node.command("CLUSTER INFO"), nodes.size())) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("no cluster: " + node.command("CLUSTER INFO"));
        }
        pause();
      }
    }
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }

  /**
   * Slots are listed because a node that does not need all of them is "ok" before it knows them.
   */
  private static boolean isWhole(String info, int size) {
    return info.contains("cluster_state:ok")
        && info.contains("cluster_slots_ok:" + SLOTS)
        && info.contains("cluster_known_nodes:" + size);
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(50);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
