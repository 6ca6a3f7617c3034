package dev.weir.torture.faults;

import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** Redis comes back without anything that it had. */
final class EmptyRedis implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.countsInRedis() && stage.usesSingleRedis();
  }

  @Override
  public Loss loss(Stage stage) {
    return Loss.NOTICED;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    stage.singleRedis().kill();
    Fault.pause(random, 0, 3_000);
    stage.startRedisEmpty();
    return "Redis came back empty";
  }
}
