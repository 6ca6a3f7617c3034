package dev.weir.notifications.provider;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads {@code Retry-After}, which is a number of seconds or a date (RFC 9110). */
final class RetryAfter {
  static final Duration MIN = Duration.ofSeconds(1);
  static final Duration MAX = Duration.ofMinutes(5);

  /** More digits are more than the maximum anyway. */
  private static final int MAX_DIGITS = 9;

  /** The format of today, and two that recipients have to accept; all of them in GMT. */
  private static final List<DateTimeFormatter> DATES =
      List.of(
          DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH),
          DateTimeFormatter.ofPattern("EEEE, dd-MMM-uu HH:mm:ss 'GMT'", Locale.ENGLISH),
          DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.ENGLISH));

  private RetryAfter() {}

  /** Returns the pause that a header asks for, within the bounds; the minimum if it is invalid. */
  static Duration of(Optional<String> header, Instant now) {
    return header.map(String::trim).map(text -> bounded(pause(text, now))).orElse(MIN);
  }

  private static Duration pause(String text, Instant now) {
    if (text.matches("[0-9]+")) {
      return text.length() > MAX_DIGITS ? MAX : Duration.ofSeconds(Long.parseLong(text));
    }
    for (DateTimeFormatter format : DATES) {
      try {
        return Duration.between(now, LocalDateTime.parse(text, format).toInstant(ZoneOffset.UTC));
      } catch (DateTimeException e) {
        // It may have another format.
      }
    }
    return MIN;
  }

  private static Duration bounded(Duration pause) {
    if (pause.compareTo(MIN) < 0) {
      return MIN;
    }
    return pause.compareTo(MAX) > 0 ? MAX : pause;
  }
}
