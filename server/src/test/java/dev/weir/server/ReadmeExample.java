package dev.weir.server;

import dev.weir.core.slots.SlotPolicy;
import dev.weir.engine.slots.SlotScheduler;
import java.time.Duration;
import java.time.Instant;

/** The Java of the README, compiled. */
final class ReadmeExample {
  private ReadmeExample() {}

  static Instant run() {
    // begin
    try (SlotScheduler slots = SlotScheduler.inMemory()) {
      slots.configure("bank-api", SlotPolicy.of(200, Duration.ofSeconds(4)));
      Instant at = slots.assign("pay-1", "bank-api").scheduledTime();
      // end
      return at;
    }
  }
}
