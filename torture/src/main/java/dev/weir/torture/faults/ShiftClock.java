package dev.weir.torture.faults;

import dev.weir.torture.stage.FakeClock;
import dev.weir.torture.stage.Node;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;

/** The clock of a node is wrong for a while. The others are right: what differs is what matters. */
final class ShiftClock implements Fault {
  @Override
  public Lane lane() {
    return Lane.WAYS;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.nodes().getLast().clock().isPresent();
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    Node node = Fault.any(stage.nodes(), random);
    FakeClock clock = node.clock().orElseThrow();
    Duration shift = Duration.ofSeconds(random.nextInt(-7_200, 7_200));
    clock.set(shift);
    try {
      return "clock of %s off by %s for %s"
          .formatted(node, shift, Fault.pause(random, 2_000, 8_000));
    } finally {
      clock.set(Duration.ZERO);
    }
  }
}
