package dev.weir.notifications;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The messages of {@link MemoryStores} that are counted and may not be published. */
final class MemoryOutbox {
  private final Map<UUID, Waiting> waiting = new LinkedHashMap<>();
  private final InstantSource clock;

  MemoryOutbox(InstantSource clock) {
    this.clock = clock;
  }

  private static final class Waiting {
    final Instant since;
    Instant claimedUntil = Instant.MIN;
    boolean isShared;

    Waiting(Instant since) {
      this.since = since;
    }
  }

  void add(UUID message) {
    waiting.put(message, new Waiting(clock.instant()));
  }

  Set<UUID> messages() {
    return new HashSet<>(waiting.keySet());
  }

  boolean remove(UUID message) {
    return waiting.remove(message) != null;
  }

  /** Notes that a second caller may publish a message; returns false if it is not here. */
  boolean share(UUID message) {
    Waiting known = waiting.get(message);
    if (known != null) {
      known.isShared = true;
    }
    return known != null;
  }

  /** Removes a message, and returns true, if it is here and only its caller may publish it. */
  boolean withdraw(UUID message) {
    Waiting known = waiting.get(message);
    return known != null && !known.isShared && remove(message);
  }

  List<UUID> claim(Duration minAge, Duration claim, int max) {
    List<UUID> claimed = new ArrayList<>();
    Instant now = clock.instant();
    waiting.forEach(
        (message, known) -> {
          if (claimed.size() < max
              && !known.since.plus(minAge).isAfter(now)
              && !known.claimedUntil.isAfter(now)) {
            known.claimedUntil = now.plus(claim);
            known.isShared = true;
            claimed.add(message);
          }
        });
    return claimed;
  }
}
