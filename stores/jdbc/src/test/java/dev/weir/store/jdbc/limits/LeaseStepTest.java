package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Queue;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A name that PostgreSQL would reject is refused before it shares a call with others. */
final class LeaseStepTest {
  private static final Concurrency LIMIT = Concurrency.of(5, Duration.ofMinutes(1));
  private static final Queue QUEUE = Queue.of(5, Duration.ofMillis(100));

  private interface Named {
    LeaseStep of(String resource, String id);
  }

  private static final List<Named> STEPS =
      List.of(
          (resource, id) -> LeaseStep.acquire(resource, LIMIT, id, 1),
          (resource, id) -> LeaseStep.renew(resource, LIMIT, id),
          (resource, id) -> LeaseStep.join(resource, QUEUE, id),
          (resource, id) -> LeaseStep.releaseAfter(resource, id, 1_000),
          (resource, id) -> LeaseStep.release(resource, id));

  @ParameterizedTest
  @ValueSource(strings = {"", "a\u0000b", "a\ud800"})
  void invalidNamesAreRefused(String invalid) {
    for (Named step : STEPS) {
      assertThat(step.of("resource", "id").resource()).isEqualTo("resource");
      assertThatThrownBy(() -> step.of(invalid, "id"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("resource ");
      assertThatThrownBy(() -> step.of("resource", invalid))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("id ");
    }
    assertThatThrownBy(() -> LeaseStep.endAll(invalid))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void endingAllNeedsNoId() {
    assertThat(LeaseStep.endAll("resource").id()).isEmpty();
  }
}
