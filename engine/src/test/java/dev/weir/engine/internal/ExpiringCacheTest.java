package dev.weir.engine.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class ExpiringCacheTest {
  @Test
  void keepsNothingThatWasForgottenWhileItWasRead() {
    AtomicReference<ExpiringCache<String>> recent = new AtomicReference<>();
    AtomicReference<String> stored = new AtomicReference<>("old");
    recent.set(
        new ExpiringCache<>(
            name -> {
              String read = stored.get();
              if (stored.compareAndSet("old", "new")) {
                // It is changed right after it was read, and invalidated.
                recent.get().forget(name);
              }
              return Optional.of(read);
            },
            Duration.ofDays(1),
            () -> 0));

    assertThat(recent.get().find("a")).contains("old");
    assertThat(recent.get().find("a")).contains("new");
    assertThat(recent.get().known("a")).contains("new");
  }
}
