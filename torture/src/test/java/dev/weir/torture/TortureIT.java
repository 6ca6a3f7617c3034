package dev.weir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.capability.Promise;
import dev.weir.torture.stage.Stage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * A short share of the torture, with all capabilities, in which everything that they need is killed
 * once. {@code -Dweir.torture.seed=S} plays another round.
 */
@EnabledIf("dev.weir.server.faults.RedisProcess#isInstalled")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
final class TortureIT {
  private static final long SEED = Long.getLong("weir.torture.seed", 27);

  /** Of each capability are few callers, because this is about faults, not about load. */
  private static final Plan PLAN =
      new Plan(
          Duration.ofSeconds(15),
          2,
          new Trouble.Only(
              Set.of(
                  "KillNode",
                  "KillDatabase",
                  "KillRedis",
                  "KillKafka",
                  "CutWay",
                  "SilenceWay",
                  "SwallowReplies"),
              ""),
          Plan.MAX_WAIT);

  @Test
  void promisesAreKeptInARoundOfFaults() throws Exception {
    Path home = Path.of("..").toAbsolutePath().normalize();
    StringWriter text = new StringWriter();
    Stage.Settings settings =
        new Stage.Settings(
            Path.of("target/torture/" + SEED).toAbsolutePath(),
            home.resolve("server/target/weir.jar"),
            Optional.empty(),
            Optional.empty(),
            "redis");
    Hunt hunt = new Hunt(settings, EnumSet.allOf(Promise.class), List.of(PLAN));
    Optional<Torture.Outcome> broken =
        hunt.run(SEED, Duration.ZERO, new Report(new PrintWriter(text), "redis"));
    assertThat(broken).as(text::toString).isEmpty();
    assertThat(text.toString())
        .contains("all promises kept", "S1=", "S6=", "L1=", "R1=", "G1=", "M1=", "P1=", "A2=3");
  }
}
