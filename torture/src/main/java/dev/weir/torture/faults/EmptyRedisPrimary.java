package dev.weir.torture.faults;

import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.RedisGroup;
import dev.weir.torture.stage.RedisMember;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** A primary of Redis comes back without what it had counted, and its replica copies that. */
final class EmptyRedisPrimary implements Fault {
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
    return Loss.NOTICED;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    RedisGroup group = stage.redisGroup().orElseThrow();
    RedisMember primary = Fault.any(group.primaries(), random);
    primary.kill();
    Fault.pause(random, 0, 3_000);
    primary.startEmpty();
    group.awaitMended();
    return primary + " came back empty";
  }
}
