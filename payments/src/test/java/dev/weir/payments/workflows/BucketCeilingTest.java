package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BucketCeilingTest {
  private long nowMicros = 1_000_000_000_000L;
  private final MemoryLeaseStore leases = new MemoryLeaseStore(() -> Micros.instant(nowMicros));
  private final Limiter limiter =
      Limiter.on(new MemoryLimitStore(() -> Micros.instant(nowMicros), 1_000));

  /** A caller that asks every millisecond, for ten seconds. */
  @Test
  void permitsNoMoreThanTheCeilingWithinAnySecond() {
    BucketCeiling ceiling = new BucketCeiling(limiter, leases, "bank", 50);
    List<Long> permitted = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      if (ceiling.enter("p" + i) instanceof Ceiling.Permit) {
        permitted.add(nowMicros);
      }
      nowMicros += 1_000;
    }
    int max = 0;
    for (long end : permitted) {
      int inSecond =
          (int) permitted.stream().filter(at -> at > end - 1_000_000 && at <= end).count();
      max = Math.max(max, inSecond);
    }
    assertThat(max).isBetween(45, 50);
    assertThat(permitted).hasSizeBetween(450, 460);
  }

  @Test
  void eachOfManyWaitsLongerThanTheOneBefore() {
    BucketCeiling ceiling = new BucketCeiling(limiter, leases, "bank", 50);
    for (int i = 0; i < 5; i++) {
      assertThat(ceiling.enter("first" + i)).isInstanceOf(Ceiling.Permit.class);
    }
    Duration last = Duration.ZERO;
    for (int i = 0; i < 90; i++) {
      Ceiling.Wait wait = (Ceiling.Wait) ceiling.enter("late" + i);
      assertThat(wait.duration()).isGreaterThan(last);
      last = wait.duration();
    }
    assertThat(last).isBetween(Duration.ofMillis(1_990), Duration.ofMillis(2_030));
  }

  @Test
  void sharesItsCountWithNoRule() {
    Policy rule = Policy.of("downstream", new TokenBucket(5, 45, 1_000_000));
    while (limiter.acquire(rule, "bank") instanceof Decision.Allowed) {
      // Until the rule refuses.
    }
    assertThat(new BucketCeiling(limiter, leases, "bank", 50).enter("p"))
        .isInstanceOf(Ceiling.Permit.class);
  }

  @Test
  void needsRoomForCapacityAndRate() {
    assertThatThrownBy(() -> new BucketCeiling(limiter, leases, "bank", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("max");
  }
}
