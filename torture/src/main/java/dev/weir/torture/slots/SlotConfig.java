package dev.weir.torture.slots;

import dev.weir.torture.stage.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
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
  HOURS(5, 1, hours("09:00-10:00\",\"11:10-11:11")),
  /** Nothing is scheduled into the past. */
  NOW(20, 1, ",\"notBefore\":\"now\""),
  /** Its hours, and until when it is paused, change meanwhile. */
  PAUSED(6, 1, ""),
  /** More requests than places that are near enough. */
  DELAYED(4, 1, ",\"maxDelay\":\"PT3S\""),
  /** Places by chance. */
  RANDOM(6, 1, ",\"spread\":\"random\""),
  /** Times that have passed; some slots are confirmed, the others are reclaimed. */
  LEAKING(8, 2, "");

  /** A Monday, 08:00 in Berlin. */
  static final Instant BEGIN = Instant.parse("2030-06-03T06:00:00Z");

  /** The same as in {@link #DELAYED}. */
  static final long MAX_DELAY_MICROS = 3_000_000;

  /** How late a slot is that counts as leaked: the setting of the nodes. */
  static final Duration GRACE = Node.LEAK_GRACE;

  private static final long SPAN_MICROS = 60_000_000;
  private static final long HOUR_MICROS = 3_600_000_000L;
  private static final int MAX_PAUSE_MINUTES = 120;

  /** How long before now the slots are that leak. */
  private static final int MAX_PAST_SECONDS = 120;

  /** Hours of {@link #PAUSED}, in turns. */
  private static final List<String> HOURS_IN_TURNS =
      List.of("", hours("08:00-08:40\",\"09:10-12:00"), hours("08:20-09:30\",\"09:50-11:00"));

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

  private static String hours(String ranges) {
    return ",\"calendar\":{\"timeZone\":\"Europe/Berlin\",\"hours\":{\"monday\":[\"%s\"]}}"
        .formatted(ranges);
  }

  /** Whether slots are never given back, and the configuration never changes. */
  boolean isSteady() {
    return this == TIGHT || this == PACKED || this == DELAYED || this == RANDOM;
  }

  /** Whether the configuration never changes and keeps its events apart. */
  boolean isEven() {
    return (isSteady() && this != RANDOM) || this == ENDED || this == LEAKING;
  }

  /** Whether its slots lie in the past before the round is over, so that they may be reclaimed. */
  boolean isReclaimed() {
    return this == NOW || this == LEAKING;
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
    return json(round, max, seconds, more);
  }

  private String json(String round, int max, int seconds, String rest) {
    return "{\"configName\":\"%s\",\"maxPerWindow\":%d,\"windowSize\":\"PT%dS\"%s}"
        .formatted(name(round), max, seconds, rest);
  }

  /** The same with other hours and another pause, or none. */
  String otherTimes(String round, SplittableRandom random) {
    String times = HOURS_IN_TURNS.get(random.nextInt(HOURS_IN_TURNS.size()));
    if (random.nextBoolean()) {
      times +=
          ",\"pausedUntil\":\"%s\""
              .formatted(BEGIN.plusSeconds(60L * random.nextInt(1, MAX_PAUSE_MINUTES)));
    }
    return json(round, maxPerWindow, windowSeconds, times);
  }

  /** A request of an event. */
  String request(String round, String id, SplittableRandom random) {
    String time =
        switch (this) {
          case NOW -> "";
          case PACKED -> at(0);
          case HOURS, PAUSED -> at(random.nextLong(3 * HOUR_MICROS));
          case LEAKING ->
              ",\"requestedTime\":\"%s\""
                  .formatted(
                      Instant.now()
                          .truncatedTo(ChronoUnit.SECONDS)
                          .minusSeconds(random.nextInt(MAX_PAST_SECONDS)));
          case TIGHT, MOVING, ENDED, DELAYED, RANDOM ->
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
