package dev.weir.torture.faults;

import dev.weir.torture.stage.Node;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** A node is stopped, and started with the other version of the program. */
final class ChangeVersion implements Fault {
  @Override
  public Lane lane() {
    return Lane.VERSIONS;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.hasTwoVersions();
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    Node node = Fault.any(stage.nodes(), random);
    node.restartWithNextVersion();
    node.awaitReady();
    return "another version of " + node;
  }
}
