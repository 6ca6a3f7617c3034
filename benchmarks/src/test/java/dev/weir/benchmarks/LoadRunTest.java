package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class LoadRunTest {
  @Test
  void countsOnlyWhatWasMeasured() throws Exception {
    LoadRun run = new LoadRun(2, Duration.ofMillis(20), Duration.ofMillis(100));
    Load load = run.of((caller, turn) -> Thread.onSpinWait());
    assertThat(load.calls()).isPositive();
    assertThat(load.p99Millis()).isGreaterThanOrEqualTo(load.p50Millis());
  }

  @Test
  void throwsWhatACallerThrew() {
    LoadRun run = new LoadRun(2, Duration.ZERO, Duration.ofSeconds(30));
    assertThatThrownBy(
            () ->
                run.of(
                    (caller, turn) -> {
                      throw new IOException("gone");
                    }))
        .hasRootCauseMessage("gone");
  }
}
