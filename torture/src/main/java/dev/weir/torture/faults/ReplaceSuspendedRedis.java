package dev.weir.torture.faults;

import dev.weir.server.faults.Stopped;
import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.RedisGroup;
import dev.weir.torture.stage.RedisMember;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** A primary of Redis stands still, is replaced, and goes on: for a while there are two. */
final class ReplaceSuspendedRedis implements Fault {
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
    return stage.hasRedisCluster() ? Loss.FORGOTTEN_FOR_LONGER : Loss.FORGOTTEN;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    RedisGroup group = stage.redisGroup().orElseThrow();
    RedisMember primary = Fault.any(group.primaries(), random);
    RedisMember replica = group.replicaOf(primary);
    Stopped stopped = primary.suspend();
    try {
      group.promote(replica);
      Fault.pause(random, 0, 2_000);
    } finally {
      stopped.close();
      group.awaitMended();
    }
    return "SIGSTOP of %s, until %s had taken over".formatted(primary, replica);
  }
}
