package dev.weir.torture.faults;

import dev.weir.torture.stage.Stage;
import dev.weir.torture.stage.Way;
import java.util.SplittableRandom;

/** Connections of one way are closed, and new ones refused. */
record CutWay(String ways) implements Fault {
  @Override
  public Lane lane() {
    return Lane.WAYS;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) {
    Way way = Fault.any(stage.ways(ways), random);
    way.relay().cut();
    try {
      return "cut, %s, for %s".formatted(way.name(), Fault.pause(random, 200, 5_000));
    } finally {
      way.relay().mend();
    }
  }
}
