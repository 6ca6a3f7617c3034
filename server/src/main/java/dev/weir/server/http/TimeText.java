package dev.weir.server.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;

/**
 * Times read from text and written, as {@link Instant} does it, except that a leap second and a
 * point without digits are refused. What has the usual form is read and written by hand, many times
 * as fast: in a feed that is a good part of what it costs to read a line, and in a check a part of
 * the answer.
 */
public final class TimeText {
  private static final int SECONDS_PER_DAY = 86_400;

  /** Years that have four digits, in seconds since the epoch. */
  private static final long YEAR_0 = LocalDate.of(0, 1, 1).toEpochDay() * SECONDS_PER_DAY;

  private static final long YEAR_10000 = LocalDate.of(10_000, 1, 1).toEpochDay() * SECONDS_PER_DAY;

  /** The length of {@code 2026-06-01T12:00:00Z}. */
  private static final int SHORTEST = 20;

  private TimeText() {}

  /**
   * Reads a time.
   *
   * @throws DateTimeException if it is none
   */
  static Instant parse(String text) {
    int length = text.length();
    boolean usual =
        (length == SHORTEST || (length > SHORTEST + 1 && length <= SHORTEST + 10))
            && text.charAt(4) == '-'
            && text.charAt(7) == '-'
            && text.charAt(10) == 'T'
            && text.charAt(13) == ':'
            && text.charAt(16) == ':'
            && (length == SHORTEST || text.charAt(19) == '.')
            && text.charAt(length - 1) == 'Z';
    if (!usual) {
      return parseUnusual(text);
    }
    int year = number(text, 0, 4);
    int month = number(text, 5, 7);
    int day = number(text, 8, 10);
    int hour = number(text, 11, 13);
    int minute = number(text, 14, 16);
    int second = number(text, 17, 19);
    int digits = Math.max(0, length - SHORTEST - 1);
    int fraction = digits == 0 ? 0 : number(text, 20, 20 + digits);
    if (Math.min(Math.min(year, month), Math.min(day, fraction)) < 0
        || hour < 0
        || hour > 23
        || minute < 0
        || minute > 59
        || second < 0
        || second > 59) {
      // Midnight as hour 24, or no time at all.
      return parseUnusual(text);
    }
    long seconds = LocalDate.of(year, month, day).toEpochDay() * SECONDS_PER_DAY;
    return Instant.ofEpochSecond(
        seconds + hour * 3_600L + minute * 60L + second, (long) fraction * power(9 - digits));
  }

  /**
   * {@link Instant} reads a leap second as the second before it, which is earlier than what was
   * asked for, and a point that no digits follow as if it were not there.
   */
  private static Instant parseUnusual(String text) {
    int point = text.indexOf('.');
    boolean digitFollows =
        point + 1 < text.length() && text.charAt(point + 1) >= '0' && text.charAt(point + 1) <= '9';
    if (text.contains(":60") || (point >= 0 && !digitFollows)) {
      throw new DateTimeException("no time: " + text);
    }
    return Instant.parse(text);
  }

  /** Writes a time. */
  public static String of(Instant time) {
    long seconds = time.getEpochSecond();
    if (seconds < YEAR_0 || seconds >= YEAR_10000) {
      return time.toString();
    }
    LocalDate day = LocalDate.ofEpochDay(Math.floorDiv(seconds, SECONDS_PER_DAY));
    int second = Math.floorMod(seconds, SECONDS_PER_DAY);
    StringBuilder text = new StringBuilder(SHORTEST + 10);
    twoDigits(text, day.getYear() / 100);
    twoDigits(text, day.getYear() % 100).append('-');
    twoDigits(text, day.getMonthValue()).append('-');
    twoDigits(text, day.getDayOfMonth()).append('T');
    twoDigits(text, second / 3_600).append(':');
    twoDigits(text, second / 60 % 60).append(':');
    twoDigits(text, second % 60);
    int nanos = time.getNano();
    if (nanos != 0) {
      // Thousandths, millionths or billionths, whichever is enough. The one in front keeps zeros.
      int digits = nanos % 1_000_000 == 0 ? 3 : nanos % 1_000 == 0 ? 6 : 9;
      text.append(1_000_000_000 + nanos).setCharAt(SHORTEST - 1, '.');
      text.setLength(SHORTEST + digits);
    }
    return text.append('Z').toString();
  }

  private static StringBuilder twoDigits(StringBuilder text, int number) {
    return text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
  }

  private static int power(int exponent) {
    int power = 1;
    for (int i = 0; i < exponent; i++) {
      power *= 10;
    }
    return power;
  }

  /** The number that these characters are, negative if they are none. */
  private static int number(String text, int from, int until) {
    int number = 0;
    for (int i = from; i < until; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
