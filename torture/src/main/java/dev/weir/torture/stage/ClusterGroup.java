package dev.weir.torture.stage;

import dev.weir.server.faults.Ports;
import dev.weir.server.faults.Relay;
import dev.weir.server.faults.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A Redis Cluster of three primaries with a replica each. Its nodes are patient with one that is
 * silent, as it may be on a busy machine, so that no replica takes over unless it is told to.
 */
final class ClusterGroup implements RedisGroup {
  private static final int PRIMARIES = 3;
  private static final int SLOTS = 16_384;

  /** Redis gives up a failover after five seconds; then it has to be asked for again. */
  private static final int GIVE_UP_MILLIS = 6_000;

  private final List<RedisMember> members;

  private ClusterGroup(List<RedisMember> members) {
    this.members = members;
  }

  static ClusterGroup start(Path data, Path log, Deque<AutoCloseable> started) throws IOException {
    List<RedisMember> members = new ArrayList<>();
    List<Integer> buses = new ArrayList<>();
    for (int number = 1; number <= 2 * PRIMARIES; number++) {
      int port = Ports.free();
      int bus = Ports.free();
      Relay relay = new Relay(port);
      String settings =
          """
          cluster-enabled yes
          cluster-config-file nodes.conf
          cluster-port %d
          cluster-announce-ip 127.0.0.1
          cluster-announce-port %d
          cluster-announce-bus-port %d
          cluster-node-timeout 60000
          cluster-require-full-coverage no
          cluster-allow-replica-migration no
          """
              .formatted(bus, relay.port(), bus);
      RedisMember member = RedisMember.start(number, port, relay, data, log, settings);
      started.push(member);
      members.add(member);
      buses.add(bus);
    }
    ClusterGroup group = new ClusterGroup(List.copyOf(members));
    group.form(buses);
    return group;
  }

  private void form(List<Integer> buses) {
    RedisMember first = members.getFirst();
    for (int i = 0; i < PRIMARIES; i++) {
      members
          .get(i)
          .command(
              "CLUSTER ADDSLOTSRANGE %d %d"
                  .formatted(SLOTS * i / PRIMARIES, SLOTS * (i + 1) / PRIMARIES - 1));
    }
    for (RedisMember member : members) {
      member.command("CLUSTER MEET 127.0.0.1 %d %d".formatted(first.port(), buses.getFirst()));
    }
    awaitWhole();
    for (int i = 0; i < PRIMARIES; i++) {
      members.get(PRIMARIES + i).command("CLUSTER REPLICATE " + idOf(members.get(i)));
    }
    awaitMended();
    awaitWhole();
  }

  private static String idOf(RedisMember member) {
    return member.tell("CLUSTER MYID").lines().toList().get(1);
  }

  private void awaitWhole() {
    for (RedisMember member : members) {
      Waiting.until(
          "a whole Cluster",
          BOUND,
          () -> {
            String info = member.tell("CLUSTER INFO");
            return info.contains("cluster_state:ok")
                && info.contains("cluster_slots_ok:" + SLOTS)
                && info.contains("cluster_known_nodes:" + members.size());
          });
    }
  }

  @Override
  public String uri() {
    return members.stream()
        .map(member -> "127.0.0.1:" + member.announcedPort())
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  @Override
  public List<RedisMember> members() {
    return members;
  }

  @Override
  public List<Way> ways() {
    return members.stream().map(RedisMember::way).toList();
  }

  @Override
  public int expectedPrimaries() {
    return PRIMARIES;
  }

  @Override
  public RedisMember replicaOf(RedisMember primary) {
    // Shards keep their members.
    int at = members.indexOf(primary);
    return members.get((at + PRIMARIES) % members.size());
  }

  @Override
  public void handOver(RedisMember replica) {
    failOver(replica, "CLUSTER FAILOVER");
  }

  @Override
  public void promote(RedisMember replica) {
    failOver(replica, "CLUSTER FAILOVER TAKEOVER");
  }

  private static void failOver(RedisMember replica, String command) {
    Waiting.until(
        "a replica that takes over",
        BOUND,
        () -> {
          replica.tell(command);
          for (int millis = 0; millis < GIVE_UP_MILLIS; millis += 100) {
            if (replica.isPrimary()) {
              return true;
            }
            Thread.sleep(100);
          }
          return false;
        });
  }
}
