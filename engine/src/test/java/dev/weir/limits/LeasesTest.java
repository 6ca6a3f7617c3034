package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.memory.MemoryLeaseStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class LeasesTest {
  private static final Concurrency ONE = Concurrency.of(1, Duration.ofSeconds(30));

  private long nowMicros = 1_000_000;
  private final Leases leases = Leases.on(new MemoryLeaseStore(() -> Micros.instant(nowMicros)));

  @Test
  void retryAfterIsWhenLeasesExpireAndReleasedPlacesAreFreeEarlier() {
    try (Leases.Acquired holder = (Leases.Acquired) leases.acquire("printer", ONE)) {
      nowMicros += 50_000;
      assertThat(leases.acquire("printer", ONE))
          .isEqualTo(new Leases.Full(1, Duration.ofMillis(29_950)));
      assertThat(holder.renew()).isTrue();
    }
    assertThat(leases.acquire("printer", ONE)).isInstanceOf(Leases.Acquired.class);
  }
}
