package dev.weir.torture.faults;

import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** PostgreSQL ends without a warning, and is started again by its supervisor. */
final class KillDatabase implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    stage.database().kill();
    return "SIGKILL of PostgreSQL";
  }
}
