package dev.weir.torture.faults;

import dev.weir.torture.stage.Stage;
import dev.weir.torture.stage.Way;
import java.util.SplittableRandom;

/** Connections of one way stay open, and nothing passes in either direction. */
record SilenceWay(String ways) implements Fault {
  @Override
  public Lane lane() {
    return Lane.WAYS;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) {
    Way way = Fault.any(stage.ways(ways), random);
    way.relay().silence();
    try {
      return "silence, %s, for %s".formatted(way.name(), Fault.pause(random, 500, 6_000));
    } finally {
      way.relay().mend();
    }
  }
}
