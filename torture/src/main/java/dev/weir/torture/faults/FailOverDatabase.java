package dev.weir.torture.faults;

import dev.weir.server.faults.Stopped;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** PostgreSQL ends without a warning, and its synchronous standby takes over. */
final class FailOverDatabase implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.hasStandby();
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    // What is not on its disk by now must not have been answered.
    Stopped standby = stage.suspendStandby();
    String time;
    try {
      time = Fault.pause(random, 100, 3_000).toString();
      stage.database().killForGood();
      // Otherwise it still reads what had been sent to it while it stood still.
      stage.killStandby();
    } finally {
      standby.close();
    }
    stage.promoteStandby();
    // Nodes work without a standby for a while, and another failover has to wait for one.
    Fault.pause(random, 0, 4_000);
    stage.renewStandby();
    return "SIGKILL of PostgreSQL, its standby took over after a SIGKILL, and a SIGSTOP for "
        + time;
  }
}
