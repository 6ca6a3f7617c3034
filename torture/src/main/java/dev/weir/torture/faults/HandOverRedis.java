package dev.weir.torture.faults;

import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.RedisGroup;
import dev.weir.torture.stage.RedisMember;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/**
 * A replica takes over from a primary of Redis that answers. A Cluster hands over all counts;
 * Sentinels let the primary count until they demote it.
 */
final class HandOverRedis implements Fault {
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
    return stage.hasRedisCluster() ? Loss.NONE : Loss.FORGOTTEN;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    RedisGroup group = stage.redisGroup().orElseThrow();
    RedisMember primary = Fault.any(group.primaries(), random);
    RedisMember replica = group.replicaOf(primary);
    group.handOver(replica);
    group.awaitMended();
    return "%s handed over to %s".formatted(primary, replica);
  }
}
