package dev.weir.torture.faults;

import dev.weir.server.faults.Stopped;
import dev.weir.torture.stage.Node;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** A node stands still, as under a debugger or in a long collection. */
final class SuspendNode implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    Node node = Fault.any(stage.nodes(), random);
    Stopped stopped = node.suspend();
    try {
      return "SIGSTOP of %s for %s".formatted(node, Fault.pause(random, 300, 6_000));
    } finally {
      stopped.close();
    }
  }
}
