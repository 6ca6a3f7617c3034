package dev.weir.torture.faults;

import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.RedisGroup;
import dev.weir.torture.stage.RedisMember;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** A replica takes over from a primary of Redis that is killed, without its last writes. */
final class PromoteReplica implements Fault {
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
    primary.kill();
    group.promote(replica);
    Fault.pause(random, 0, 3_000);
    primary.start();
    group.awaitMended();
    return "SIGKILL of %s, %s took over".formatted(primary, replica);
  }
}
