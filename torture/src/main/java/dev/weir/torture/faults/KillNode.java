package dev.weir.torture.faults;

import dev.weir.torture.stage.Node;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** A node ends without a warning, and is started again. */
final class KillNode implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    Node node = Fault.any(stage.nodes(), random);
    node.killAndRestart();
    node.awaitReady();
    return "SIGKILL of " + node;
  }
}
