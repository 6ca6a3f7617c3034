package dev.weir.torture.faults;

import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** PostgreSQL is restored from a backup while the nodes run. */
final class RestoreDatabase implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.isRestored();
  }

  @Override
  public Loss loss(Stage stage) {
    return Loss.RESTORED;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    stage.backUpDatabase();
    String time = Fault.pause(random, 1_000, 6_000).toString();
    stage.restoreDatabase();
    return "PostgreSQL was restored from a backup of %s before".formatted(time);
  }
}
