package dev.weir.torture.faults;

import dev.weir.server.faults.Stopped;
import dev.weir.torture.stage.RedisMember;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** A primary or replica of Redis stands still, and none takes over. */
final class SuspendRedisMember implements Fault {
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
    Stopped stopped = member.suspend();
    try {
      return "SIGSTOP of %s for %s".formatted(member, Fault.pause(random, 300, 4_000));
    } finally {
      stopped.close();
      stage.redisGroup().orElseThrow().awaitMended();
    }
  }
}
