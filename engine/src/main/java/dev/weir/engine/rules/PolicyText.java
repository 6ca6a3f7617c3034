package dev.weir.engine.rules;

import dev.weir.core.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import java.nio.charset.StandardCharsets;

/**
 * How header fields speak of a policy, in structured fields (RFC 9651).
 *
 * @param name its name in quotes
 * @param terms its name in quotes and what it allows, an item of {@code RateLimit-Policy}
 * @param most what it allows
 */
public record PolicyText(String name, String terms, String most) {
  private static final char FIRST_PRINTABLE = ' ';
  private static final char LAST_PRINTABLE = '~';

  /** How fields speak of a rule, whose name is printable ASCII, or is made so. */
  public static PolicyText ofRule(String name, Limit limit) {
    String quoted = quoted(isPrintable(name) ? name : printable(name));
    return new PolicyText(
        quoted, quoted + ";q=" + limit.maxCost() + window(limit), Long.toString(limit.maxCost()));
  }

  /** How fields speak of the bucket of a resource, which may have any name. */
  public static PolicyText ofBucket(String resource, TokenBucket bucket) {
    return ofRule(printable(resource), bucket);
  }

  public static PolicyText ofConcurrency(String resource, Concurrency limit) {
    String quoted = quoted(printable(resource));
    return new PolicyText(
        quoted,
        quoted + ";q=" + limit.max() + ";qu=\"concurrent-requests\"",
        Integer.toString(limit.max()));
  }

  /** Whether a text can stand in a structured field as it is. */
  public static boolean isPrintable(String text) {
    return text.chars().allMatch(c -> c >= FIRST_PRINTABLE && c <= LAST_PRINTABLE);
  }

  /** A bucket has no window, and a window that is no whole number of seconds cannot be told. */
  private static String window(Limit limit) {
    long micros =
        switch (limit) {
          case FixedWindow window -> window.windowMicros();
          case SlidingWindow window -> window.windowMicros();
          case TokenBucket bucket -> 0;
        };
    return micros > 0 && micros % Micros.PER_SECOND == 0 ? ";w=" + micros / Micros.PER_SECOND : "";
  }

  /** A string of a structured field. */
  private static String quoted(String printable) {
    return '"' + printable.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** What is not printable, and the sign by which that is known, escaped as in an address. */
  public static String printable(String text) {
    if (isPrintable(text) && text.indexOf('%') < 0) {
      return text;
    }
    StringBuilder printable = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b >= FIRST_PRINTABLE && b <= LAST_PRINTABLE && b != '%') {
        printable.append((char) b);
      } else {
        printable.append('%');
        printable.append(Character.toUpperCase(Character.forDigit((b >> 4) & 0xF, 16)));
        printable.append(Character.toUpperCase(Character.forDigit(b & 0xF, 16)));
      }
    }
    return printable.toString();
  }
}
