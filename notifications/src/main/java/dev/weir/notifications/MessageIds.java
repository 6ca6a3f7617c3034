package dev.weir.notifications;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.UUID;

/**
 * Creates the ids of messages: UUIDs of version 7, whose first 48 bits are the time, so that new
 * rows lie side by side in an index. The other bits are random and cannot be guessed. Thread-safe.
 */
final class MessageIds {
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  MessageIds(InstantSource clock) {
    this.clock = clock;
  }

  UUID next() {
    long high = (clock.millis() << 16) | 0x7000 | random.nextInt(0x1000);
    long low = (random.nextLong() >>> 2) | (1L << 63);
    return new UUID(high, low);
  }
}
