package dev.weir.torture.faults;

import dev.weir.torture.stage.RedisMember;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** A primary or replica of Redis ends without a warning, and is back before any takes over. */
final class KillRedisMember implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.redisGroup().isPresent();
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    RedisMember member = Fault.any(stage.redisGroup().orElseThrow().members(), random);
    member.kill();
    Fault.pause(random, 0, 3_000);
    member.start();
    stage.redisGroup().orElseThrow().awaitMended();
    return "SIGKILL of " + member;
  }
}
