package dev.weir.torture.stage;

import dev.weir.server.faults.Waiting;
import java.time.Duration;
import java.util.List;

/** Primaries and replicas of Redis, and what lets a replica take over. */
public sealed interface RedisGroup permits SentinelGroup, ClusterGroup {
  /** Elections may have to be repeated, and a busy machine takes its time. */
  Duration BOUND = Duration.ofMinutes(3);

  /** The address for nodes. */
  String uri();

  List<RedisMember> members();

  List<Way> ways();

  /** How many primaries there are while all is well. */
  int expectedPrimaries();

  /** The primaries, while no member is down or suspended. */
  default List<RedisMember> primaries() {
    return members().stream().filter(RedisMember::isPrimary).toList();
  }

  /** The replica that takes over from a primary. */
  RedisMember replicaOf(RedisMember primary);

  /** Hands over in an orderly way to a replica, and returns when it is the primary. */
  void handOver(RedisMember replica);

  /** Lets a replica take over from a primary that is dead or suspended. */
  void promote(RedisMember replica);

  /** Waits until each member is a primary, or a replica that has all. */
  default void awaitMended() {
    Waiting.until(
        "a Redis with " + expectedPrimaries() + " primaries and replicas that follow",
        BOUND,
        () ->
            primaries().size() == expectedPrimaries()
                && members().stream().allMatch(each -> each.isPrimary() || each.follows()));
  }
}
