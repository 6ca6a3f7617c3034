package dev.weir.torture.faults;

import dev.weir.torture.stage.Node;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.time.Duration;
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
    // On a busy machine it takes longer, and other faults meet a node that starts.
    node.awaitReady(Duration.ofSeconds(8));
    return "SIGKILL of " + node;
  }
}
