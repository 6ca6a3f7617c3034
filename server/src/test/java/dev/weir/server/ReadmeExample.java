package dev.weir.server;

import dev.weir.client.WeirClient;
import dev.weir.limits.Decision;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The Java programs of the README, which {@link ReadmeIT} compares with it and runs. */
final class ReadmeExample {
  private final List<Long> served = new ArrayList<>();
  private final List<Instant> scheduled = new ArrayList<>();

  /** Acquires one unit and returns what was left each time a request was served. */
  List<Long> limit() {
    // docs: limit
    Limiter limiter = Limiter.inMemory(); // or Limiter.on(RedisLimitStore.connect("redis://…"))
    Policy api = Policy.of("api", TokenBucket.of(100).refill(10, Duration.ofSeconds(1)));
    switch (limiter.acquire(api, "user:101")) {
      case Decision.Allowed allowed -> serve(allowed.remaining());
      case Decision.Refused refused -> tryAgainIn(refused.retryAfter());
    }
    // docs: end
    return served;
  }

  /** Assigns one slot and returns the times for which events were scheduled. */
  List<Instant> slot() {
    // docs: slot
    try (SlotScheduler slots = SlotScheduler.inMemory()) {
      slots.configure("bank-api", SlotPolicy.of(200, Duration.ofSeconds(4)));
      Instant at = slots.assign("pay-1", "bank-api").scheduledTime();
      schedule("pay-1", at);
    }
    // docs: end
    return scheduled;
  }

  /** Asks a server for a slot and returns the times for which events were scheduled. */
  List<Instant> client(URI url) {
    // docs: client
    try (WeirClient weir = WeirClient.at(url).build()) {
      schedule("pay-1", weir.slots().assign("pay-1", "default").scheduledTime());
    }
    // docs: end
    return scheduled;
  }

  private void serve(long remaining) {
    served.add(remaining);
  }

  private static void tryAgainIn(Duration delay) {
    throw new AssertionError("refused, try again in " + delay);
  }

  private void schedule(String eventId, Instant at) {
    if (!eventId.equals("pay-1")) {
      throw new AssertionError("scheduled " + eventId);
    }
    scheduled.add(at);
  }
}
