package dev.weir.torture.faults;

import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** Redis ends without a warning, and is started again with all that it answered. */
final class KillRedis implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.usesSingleRedis();
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    stage.singleRedis().kill();
    Fault.pause(random, 0, 3_000);
    stage.singleRedis().start();
    return "SIGKILL of Redis";
  }
}
