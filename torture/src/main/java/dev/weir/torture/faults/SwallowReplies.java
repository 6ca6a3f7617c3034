package dev.weir.torture.faults;

import dev.weir.torture.stage.Stage;
import dev.weir.torture.stage.Way;
import java.util.SplittableRandom;

/** One way hands over requests and loses all replies. */
record SwallowReplies(String ways) implements Fault {
  @Override
  public Lane lane() {
    return Lane.WAYS;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) {
    Way way = Fault.any(stage.ways(ways), random);
    way.relay().swallowReplies();
    try {
      return "no replies, %s, for %s".formatted(way.name(), Fault.pause(random, 200, 4_000));
    } finally {
      way.relay().mend();
    }
  }
}
