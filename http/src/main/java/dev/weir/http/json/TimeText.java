package dev.weir.http.json;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;

/**
 * Parses and formats times like {@link Instant}, but rejects leap seconds, the hour 24, which RFC
 * 3339 does not have, and a decimal point without digits. The common form is parsed and formatted
 * by hand, many times as fast: in a feed, this is a large part of the cost of reading a line, and
 * in a check, a part of the cost of the response.
 */
public final class TimeText {
  private static final int SECONDS_PER_DAY = 86_400;

  /** The range of years with four digits, in seconds since the epoch. */
  private static final long YEAR_0 = LocalDate.of(0, 1, 1).toEpochDay() * SECONDS_PER_DAY;

  private static final long YEAR_10000 = LocalDate.of(10_000, 1, 1).toEpochDay() * SECONDS_PER_DAY;

  /** The length of {@code 2026-06-01T12:00:00Z}. */
  private static final int MIN_LENGTH = 20;

  private TimeText() {}

  /**
   * Parses a time.
   *
   * @throws DateTimeException if the text is not a valid time
   */
  public static Instant parse(String text) {
    int length = text.length();
    boolean usual =
        (length == MIN_LENGTH || (length > MIN_LENGTH + 1 && length <= MIN_LENGTH + 10))
            && text.charAt(4) == '-'
            && text.charAt(7) == '-'
            && text.charAt(10) == 'T'
            && text.charAt(13) == ':'
            && text.charAt(16) == ':'
            && (length == MIN_LENGTH || text.charAt(19) == '.')
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
    int digits = Math.max(0, length - MIN_LENGTH - 1);
    int fraction = digits == 0 ? 0 : number(text, 20, 20 + digits);
    if (Math.min(Math.min(year, month), Math.min(day, fraction)) < 0
        || hour < 0
        || hour > 23
        || minute < 0
        || minute > 59
        || second < 0
        || second > 59) {
      // Not a time.
      return parseUnusual(text);
    }
    long seconds = LocalDate.of(year, month, day).toEpochDay() * SECONDS_PER_DAY;
    return Instant.ofEpochSecond(
        seconds + hour * 3_600L + minute * 60L + second, (long) fraction * power(9 - digits));
  }

  /**
   * Parses any other form. {@link Instant} reads a leap second as the second before it, which is
   * earlier than requested, the hour 24 as the next day, and ignores a decimal point without
   * digits.
   */
  private static Instant parseUnusual(String text) {
    int point = text.indexOf('.');
    boolean digitFollows =
        point + 1 < text.length() && text.charAt(point + 1) >= '0' && text.charAt(point + 1) <= '9';
    if (text.contains(":60")
        || text.contains("T24:")
        || text.contains("t24:")
        || (point >= 0 && !digitFollows)) {
      throw new DateTimeException("not a time: " + text);
    }
    return Instant.parse(text);
  }

  /** Formats a time. */
  public static String of(Instant time) {
    long seconds = time.getEpochSecond();
    if (seconds < YEAR_0 || seconds >= YEAR_10000) {
      return time.toString();
    }
    LocalDate day = LocalDate.ofEpochDay(Math.floorDiv(seconds, SECONDS_PER_DAY));
    int second = Math.floorMod(seconds, SECONDS_PER_DAY);
    StringBuilder text = new StringBuilder(MIN_LENGTH + 10);
    twoDigits(text, day.getYear() / 100);
    twoDigits(text, day.getYear() % 100).append('-');
    twoDigits(text, day.getMonthValue()).append('-');
    twoDigits(text, day.getDayOfMonth()).append('T');
    twoDigits(text, second / 3_600).append(':');
    twoDigits(text, second / 60 % 60).append(':');
    twoDigits(text, second % 60);
    int nanos = time.getNano();
    if (nanos != 0) {
      // Uses 3, 6 or 9 digits, as needed. The leading one preserves zeros.
      int digits = nanos % 1_000_000 == 0 ? 3 : nanos % 1_000 == 0 ? 6 : 9;
      text.append(1_000_000_000 + nanos).setCharAt(MIN_LENGTH - 1, '.');
      text.setLength(MIN_LENGTH + digits);
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

  /** Returns the number in these characters; negative if they are not all digits. */
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
