package dev.weir.torture.faults;

import dev.weir.server.faults.Stopped;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** PostgreSQL stands still. */
final class SuspendDatabase implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    Stopped stopped = stage.database().hang();
    try {
      return "SIGSTOP of PostgreSQL for " + Fault.pause(random, 300, 4_000);
    } finally {
      stopped.close();
    }
  }
}
