package dev.weir.torture.faults;

import dev.weir.server.faults.Stopped;
import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.RedisGroup;
import dev.weir.torture.stage.RedisMember;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** A replica takes over that has missed the writes of some seconds. */
final class PromoteOldReplica implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.redisGroup().isPresent();
  }

  @Override
  public Loss loss(Stage stage) {
    return stage.hasRedisCluster() ? Loss.FORGOTTEN_FOR_LONGER : Loss.NOTICED;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    RedisGroup group = stage.redisGroup().orElseThrow();
    RedisMember primary = Fault.any(group.primaries(), random);
    RedisMember replica = group.replicaOf(primary);
    String time;
    Stopped stopped = replica.suspend();
    try {
      primary.hangUpOnReplicas();
      // Longer than the time in which a lost grant may go unnoticed.
      time = Fault.pause(random, 4_000, 8_000).toString();
      primary.kill();
    } finally {
      stopped.close();
    }
    group.promote(replica);
    primary.start();
    group.awaitMended();
    return "%s took over from %s without the writes of %s".formatted(replica, primary, time);
  }
}
