package dev.weir.torture.faults;

import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** Redis comes back with what it had some seconds before, as from a snapshot. */
final class OldRedis implements Fault {
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
    stage.startRedisAndKeepItsData();
    // Longer than the second in which a lost grant may go unnoticed.
    String time = Fault.pause(random, 3_000, 8_000).toString();
    stage.singleRedis().kill();
    stage.startRedisWithKeptData();
    return "Redis came back as it was %s before".formatted(time);
  }
}
