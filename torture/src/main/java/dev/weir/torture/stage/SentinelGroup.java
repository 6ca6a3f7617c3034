package dev.weir.torture.stage;

import dev.weir.server.faults.Ports;
import dev.weir.server.faults.RedisProcess;
import dev.weir.server.faults.Relay;
import dev.weir.server.faults.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A primary and a replica behind three Sentinels. They are patient with a primary that is silent,
 * as it may be on a busy machine, except while one is to be replaced.
 */
final class SentinelGroup implements RedisGroup {
  private static final int SENTINELS = 3;
  private static final int PATIENT_MILLIS = 600_000;
  private static final int HASTY_MILLIS = 1_000;

  private final List<RedisMember> members;
  private final List<RedisProcess> sentinels = new ArrayList<>();
  private final List<Relay> toSentinels = new ArrayList<>();

  private SentinelGroup(List<RedisMember> members) {
    this.members = members;
  }

  static SentinelGroup start(Path data, Path log, Deque<AutoCloseable> started) throws IOException {
    List<RedisMember> members = new ArrayList<>();
    String settings = "";
    for (int number = 1; number <= 2; number++) {
      int port = Ports.free();
      Relay relay = new Relay(port);
      String announced =
          "replica-announce-ip 127.0.0.1\nreplica-announce-port %d\n".formatted(relay.port());
      RedisMember member = RedisMember.start(number, port, relay, data, log, announced + settings);
      started.push(member);
      members.add(member);
      settings = "replicaof 127.0.0.1 " + relay.port();
    }
    SentinelGroup group = new SentinelGroup(List.copyOf(members));
    group.startSentinels(data, log, started);
    group.awaitMended();
    return group;
  }

  private void startSentinels(Path data, Path log, Deque<AutoCloseable> started)
      throws IOException {
    for (int number = 1; number <= SENTINELS; number++) {
      Path file = data.resolve("sentinel-" + number + ".conf");
      Files.writeString(
          file,
          """
          dir %s
          sentinel monitor main 127.0.0.1 %d 2
          sentinel down-after-milliseconds main %d
          sentinel failover-timeout main 6000
          """
              .formatted(data, members.getFirst().announcedPort(), PATIENT_MILLIS));
      RedisProcess sentinel = RedisProcess.configured(Ports.free(), log, file, true);
      started.push(sentinel);
      sentinels.add(sentinel);
      Relay relay = new Relay(sentinel.port());
      started.push(relay);
      toSentinels.add(relay);
    }
    for (RedisProcess sentinel : sentinels) {
      Waiting.until(
          "Sentinels that know each other",
          BOUND,
          () -> {
            String known = sentinel.askAll("SENTINEL MASTER main");
            return follows(known, "num-slaves", "1") && follows(known, "num-other-sentinels", "2");
          });
    }
  }

  /** Returns true if a value comes after its name in an answer. */
  private static boolean follows(String answer, String name, String value) {
    List<String> lines = answer.lines().toList();
    int at = lines.indexOf(name);
    return at >= 0 && at + 2 < lines.size() && lines.get(at + 2).equals(value);
  }

  @Override
  public String uri() {
    return toSentinels.stream()
        .map(relay -> "127.0.0.1:" + relay.port())
        .collect(Collectors.joining(",", "redis-sentinel://", "#main"));
  }

  @Override
  public List<RedisMember> members() {
    return members;
  }

  @Override
  public List<Way> ways() {
    List<Way> ways = new ArrayList<>(members.stream().map(RedisMember::way).toList());
    for (int i = 0; i < toSentinels.size(); i++) {
      ways.add(new Way("nodes to Sentinel " + (i + 1), toSentinels.get(i)));
    }
    return ways;
  }

  @Override
  public int expectedPrimaries() {
    return 1;
  }

  @Override
  public RedisMember replicaOf(RedisMember primary) {
    return members.stream().filter(member -> member != primary).findFirst().orElseThrow();
  }

  @Override
  public void handOver(RedisMember replica) {
    Waiting.until(
        "a failover",
        BOUND,
        () -> {
          // -INPROG, or no replica that is good enough: asked again.
          sentinels.getFirst().askAll("SENTINEL FAILOVER main");
          Thread.sleep(500);
          return replica.isPrimary();
        });
    awaitAgreement(replica);
  }

  @Override
  public void promote(RedisMember replica) {
    setDownAfter(HASTY_MILLIS);
    try {
      Waiting.until("a replica that takes over", BOUND, replica::isPrimary);
      awaitAgreement(replica);
    } finally {
      setDownAfter(PATIENT_MILLIS);
    }
  }

  /** Waits until all Sentinels name it as the primary. */
  private void awaitAgreement(RedisMember primary) {
    for (RedisProcess sentinel : sentinels) {
      Waiting.until(
          "Sentinels that agree",
          BOUND,
          () ->
              sentinel
                  .askAll("SENTINEL GET-MASTER-ADDR-BY-NAME main")
                  .contains(Integer.toString(primary.announcedPort())));
    }
  }

  private void setDownAfter(int millis) {
    for (RedisProcess sentinel : sentinels) {
      Waiting.until(
          "a Sentinel",
          BOUND,
          () ->
              sentinel
                  .askAll("SENTINEL SET main down-after-milliseconds " + millis)
                  .startsWith("+OK"));
    }
  }
}
