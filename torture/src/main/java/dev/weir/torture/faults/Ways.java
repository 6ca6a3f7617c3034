package dev.weir.torture.faults;

import dev.weir.torture.stage.Node.Way;
import dev.weir.torture.stage.Stage;
import java.util.SplittableRandom;

/** The ways between clients, nodes and stores. */
final class Ways {
  private Ways() {}

  /** Returns one of those that are used. */
  static Way any(Stage stage, SplittableRandom random) {
    var ways = Fault.any(stage.nodes(), random).ways();
    return ways.get(random.nextInt(stage.countsInRedis() ? ways.size() : ways.size() - 1));
  }
}
