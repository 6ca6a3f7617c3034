package dev.weir.torture.faults;

import dev.weir.server.faults.KafkaProcess;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.util.SplittableRandom;

/** Kafka is killed and comes back with what it had. */
final class KillKafka implements Fault {
  @Override
  public Lane lane() {
    return Lane.PROCESSES;
  }

  @Override
  public boolean isPossible(Stage stage) {
    return stage.messages().isPresent();
  }

  @Override
  public String inflict(Stage stage, SplittableRandom random) throws IOException {
    KafkaProcess kafka = stage.messages().orElseThrow().kafka();
    kafka.kill();
    Fault.pause(random, 0, 3_000);
    kafka.start();
    return "SIGKILL of Kafka";
  }
}
