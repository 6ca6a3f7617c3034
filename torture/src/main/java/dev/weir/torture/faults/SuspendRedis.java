package dev.weir.torture.faults;

import dev.weir.server.faults.Stopped;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** Redis stands still. */
final class SuspendRedis implements Fault {
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
    Stopped stopped = stage.singleRedis().hang();
    try {
      return "SIGSTOP of Redis for " + Fault.pause(random, 300, 4_000);
    } finally {
      stopped.close();
    }
  }
}
