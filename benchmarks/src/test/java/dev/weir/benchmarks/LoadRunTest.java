package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LoadRunTest {
  /** On a clock of its own, each caller needs 10 ms for a call, however busy the machine is. */
  @Test
  void countsOnlyWhatWasMeasured() throws Exception {
    ThreadLocal<Duration> now = ThreadLocal.withInitial(() -> Duration.ZERO);
    AtomicInteger calls = new AtomicInteger();
    LoadRun run =
        new LoadRun(2, Duration.ofMillis(20), Duration.ofMillis(105), () -> now.get().toNanos());
    Load load =
        run.of(
            (caller, turn) -> {
              calls.incrementAndGet();
              now.set(now.get().plusMillis(10));
            });
    // Each caller makes two calls of warm-up, ten that count, and one that ends too late.
    assertThat(calls).hasValue(2 * 13);
    assertThat(load.calls()).isEqualTo(2 * 10);
    assertThat(load.perSecond()).isCloseTo(20 / 0.105, within(0.001));
    assertThat(load.p50Millis()).isCloseTo(10, within(0.02));
    assertThat(load.p99Millis()).isCloseTo(10, within(0.02));
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
