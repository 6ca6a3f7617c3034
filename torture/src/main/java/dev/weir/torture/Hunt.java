package dev.weir.torture;

import dev.weir.torture.capability.Promise;
import dev.weir.torture.stage.Folders;
import dev.weir.torture.stage.Part;
import dev.weir.torture.stage.Stage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Round after round on one stage, until a promise is broken or the time is over.
 *
 * @param plans of the first rounds; all that follow are played by the last one
 */
public record Hunt(Stage.Settings settings, Set<Promise> selected, List<Plan> plans) {
  /** What is checked of messages and payments does not know of a database that is restored. */
  private Set<Promise> checked() {
    return selected.stream()
        .filter(
            promise ->
                !settings.isRestored()
                    || !(promise.isMeantBy("messages") || promise.isMeantBy("payments")))
        .collect(Collectors.toSet());
  }

  /** Returns what the load of some promises needs beside nodes and PostgreSQL. */
  static Set<Part> parts(Set<Promise> promises) {
    return Torture.capabilitiesOf(promises).stream()
        .flatMap(capability -> capability.needs().stream())
        .collect(Collectors.toSet());
  }

  /** Runs at least one round. Returns that with the first broken promise. */
  public Optional<Torture.Outcome> run(long firstSeed, Duration time, Report report)
      throws Exception {
    long deadlineNanos = System.nanoTime() + time.toNanos();
    Path data = Files.createTempDirectory("weir-torture");
    Set<Promise> checked = checked();
    Stage stage = Stage.start(settings, data, parts(checked));
    try {
      Torture torture = new Torture(stage, settings.folder(), checked);
      int rounds = 0;
      do {
        Plan plan = plans.get(Math.min(rounds, plans.size() - 1));
        Torture.Outcome outcome = torture.round(firstSeed + rounds, plan);
        rounds++;
        report.print(outcome);
        if (!outcome.findings().isClean()) {
          return Optional.of(outcome);
        }
      } while (System.nanoTime() - deadlineNanos < 0);
      return Optional.empty();
    } finally {
      stage.close();
      Folders.delete(data);
    }
  }
}
