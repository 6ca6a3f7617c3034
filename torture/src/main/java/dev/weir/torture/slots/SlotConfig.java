package dev.weir.torture.slots;

import java.time.Instant;
import java.util.SplittableRandom;

/** The configurations of the load, each for some of the promises. */
enum SlotConfig {
  /** Requests all over a minute, of which there are more than places. */
  TIGHT(7, 1, ""),
  /** All events ask for one time, so that windows fill one after the other. */
  PACKED(10, 2, ""),
  /** Its limit and its size change meanwhile. */
  MOVING(12, 2, ""),
  /** Slots are cancelled, confirmed and requested again. */
  ENDED(8, 2, ""),
  /** Open for an hour and for a minute on Mondays. */
  HOURS(
      5,
      1,
      ",\"calendar\":{\"timeZone\":\"Europe/Berlin\",\"hours\":"
          + "{\"monday\":[\"09:00-10:00\",\"11:10-11:11\"]}}"),
  /** Nothing is scheduled into the past. */
  NOW(20, 1, ",\"notBefore\":\"now\"");

  /** A Monday, 08:00 in Berlin. */
  static final Instant BEGIN = Instant.parse("2030-06-03T06:00:00Z");

  private static final long SPAN_MICROS = 60_000_000;

  private final int maxPerWindow;
  private final int windowSeconds;
  private final String more;

  SlotConfig(int maxPerWindow, int windowSeconds, String more) {
    this.maxPerWindow = maxPerWindow;
    this.windowSeconds = windowSeconds;
    this.more = more;
  }

  String name(String round) {
    return round + "-" + name().toLowerCase(java.util.Locale.ROOT);
  }

  /** Whether slots are never given back, and the configuration never changes. */
  boolean isSteady() {
    return this == TIGHT || this == PACKED;
  }

  /** Whether the configuration never changes and keeps its events apart. */
  boolean isEven() {
    return isSteady() || this == ENDED;
  }

  int maxPerWindow() {
    return maxPerWindow;
  }

  long windowMicros() {
    return windowSeconds * 1_000_000L;
  }

  String json(String round) {
    return json(round, maxPerWindow, windowSeconds);
  }

  String json(String round, int max, int seconds) {
    return "{\"configName\":\"%s\",\"maxPerWindow\":%d,\"windowSize\":\"PT%dS\"%s}"
        .formatted(name(round), max, seconds, more);
  }

  /** A request of an event. */
  String request(String round, String id, SplittableRandom random) {
    String time =
        switch (this) {
          case NOW -> "";
          case PACKED -> at(0);
          case HOURS -> at(random.nextLong(3 * 3_600_000_000L));
          case TIGHT, MOVING, ENDED ->
              // Half of them at the begin of a window, from which all places are free.
              random.nextBoolean()
                  ? at(random.nextLong(SPAN_MICROS))
                  : at(random.nextLong(SPAN_MICROS / windowMicros()) * windowMicros());
        };
    return "{\"eventId\":\"%s\",\"configName\":\"%s\"%s}".formatted(id, name(round), time);
  }

  private static String at(long micros) {
    return ",\"requestedTime\":\"%s\"".formatted(BEGIN.plusNanos(micros * 1_000));
  }
}
