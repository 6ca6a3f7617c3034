package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Three nodes of a Redis Cluster without replicas. */
final class ClusterServers implements AutoCloseable {
  private static final int SLOTS = 16_384;

  private final List<RedisServer> nodes;

  private ClusterServers(List<RedisServer> nodes) {
    this.nodes = nodes;
  }

  static ClusterServers start(RedisProgram program) {
    return start(program, true);
  }

  /**
   * @param isWholeOrNothing whether all nodes refuse while one is gone, as Redis does unless told
   *     otherwise
   */
  static ClusterServers start(RedisProgram program, boolean isWholeOrNothing) {
    String whole = isWholeOrNothing ? "yes" : "no";
    List<RedisServer> nodes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      nodes.add(
          RedisServer.start(
              program, "--cluster-enabled", "yes", "--cluster-require-full-coverage", whole));
    }
    for (int i = 0; i < 3; i++) {
      giveSlots(nodes.get(i), i, 3);
      nodes.get(i).ask("CLUSTER MEET 127.0.0.1 " + nodes.getFirst().port());
    }
    ClusterServers cluster = new ClusterServers(List.copyOf(nodes));
    cluster.waitUntilWhole();
    return cluster;
  }

  /** Gives a node its part of the slots, the first being 0. */
  static void giveSlots(RedisServer node, int part, int parts) {
    int first = SLOTS * part / parts;
    int last = SLOTS * (part + 1) / parts - 1;
    assertThat(node.ask("CLUSTER ADDSLOTSRANGE %d %d".formatted(first, last))).startsWith("+OK");
  }

  String uri() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.port())
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  List<RedisServer> nodes() {
    return nodes;
  }

  void waitUntilWhole() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (RedisServer node : nodes) {
      while (!isWhole(node.ask("CLUSTER INFO"))) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("no cluster: " + node.ask("CLUSTER INFO"));
        }
        pause();
      }
    }
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }

  private static boolean isWhole(String info) {
    return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3");
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(50);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
