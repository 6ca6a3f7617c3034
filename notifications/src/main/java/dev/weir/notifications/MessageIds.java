package dev.weir.notifications;

import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;

/**
 * Creates the ids of messages and events: UUIDs of version 7, whose first 48 bits are the time, so
 * that new rows lie side by side in an index. The other bits are random and cannot be guessed.
 * Thread-safe.
 */
public final class MessageIds {
  private static final int VERSION = 7;

  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  public MessageIds(InstantSource clock) {
    this.clock = clock;
  }

  public UUID next() {
    return at(clock.instant());
  }

  /** Returns an id with the given time. */
  public UUID at(Instant time) {
    long high = (time.toEpochMilli() << 16) | (VERSION << 12) | random.nextInt(0x1000);
    long low = (random.nextLong() >>> 2) | (1L << 63);
    return new UUID(high, low);
  }

  /** Returns true if an id has a time. */
  public static boolean hasTime(UUID id) {
    return id.version() == VERSION;
  }

  /** Returns the time of an id that {@linkplain #hasTime has} one, in milliseconds. */
  public static Instant time(UUID id) {
    return Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16);
  }
}
