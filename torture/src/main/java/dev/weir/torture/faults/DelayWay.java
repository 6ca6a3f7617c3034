package dev.weir.torture.faults;

import dev.weir.torture.stage.Stage;
import dev.weir.torture.stage.Way;
import java.time.Duration;
import java.util.SplittableRandom;

/** One way is slow. */
record DelayWay(String ways) implements Fault {
  @Override
  public Lane lane() {
    return Lane.WAYS;
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) {
    Way way = Fault.any(stage.ways(ways), random);
    way.relay().delay(Duration.ofMillis(random.nextInt(5, 400)));
    try {
      return "delay, %s, for %s".formatted(way.name(), Fault.pause(random, 500, 5_000));
    } finally {
      way.relay().mend();
    }
  }
}
