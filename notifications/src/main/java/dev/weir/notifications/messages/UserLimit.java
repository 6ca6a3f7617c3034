package dev.weir.notifications.messages;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
import dev.weir.slots.Calendar;
import java.time.Duration;

/**
 * What a user may send.
 *
 * @param userId at least 0
 * @param rateLimit maximum number of units in a window, from 1 to {@link #MAX_RATE_LIMIT}
 * @param timeWindow length of the window, from 1 minute to {@link #MAX_WINDOW}
 * @param costBy what a message costs
 * @param openHours when messages may be sent
 */
public record UserLimit(
    long userId,
    long rateLimit,
    Duration timeWindow,
    Algorithm algorithm,
    CostBy costBy,
    Calendar openHours) {
  public static final long MAX_RATE_LIMIT = 1_000_000_000;
  public static final Duration MIN_WINDOW = Duration.ofMinutes(1);
  public static final Duration MAX_WINDOW = Duration.ofDays(366);

  /** How units are counted. */
  public enum Algorithm {
    /** A window begins with the first message after the previous window has ended. */
    FIXED_WINDOW,
    /** The previous window counts in proportion to the part of it that is still covered. */
    SLIDING_WINDOW;

    /** Returns the limit that counts this way. */
    public Limit limit(long rateLimit, Duration timeWindow) {
      return switch (this) {
        case FIXED_WINDOW -> FixedWindow.of(rateLimit, timeWindow);
        case SLIDING_WINDOW -> SlidingWindow.of(rateLimit, timeWindow);
      };
    }
  }

  /** What a message costs. */
  public enum CostBy {
    /** One unit for each message. */
    MESSAGE,
    /** One unit for each part into which the message is divided for transmission. */
    PARTS
  }

  public UserLimit {
    require("userId", userId, 0, Long.MAX_VALUE);
    require("rateLimit", rateLimit, 1, MAX_RATE_LIMIT);
    if (timeWindow.compareTo(MIN_WINDOW) < 0 || timeWindow.compareTo(MAX_WINDOW) > 0) {
      throw new IllegalArgumentException(
          "timeWindow must be from %s to %s, not %s".formatted(MIN_WINDOW, MAX_WINDOW, timeWindow));
    }
  }

  /** Returns a limit of messages in fixed windows, at any time of day. */
  public static UserLimit of(long userId, long rateLimit, Duration timeWindow) {
    return new UserLimit(
        userId, rateLimit, timeWindow, Algorithm.FIXED_WINDOW, CostBy.MESSAGE, Calendar.ALWAYS);
  }

  /** Returns the limit that decides. */
  public Limit limit() {
    return algorithm.limit(rateLimit, timeWindow);
  }

  /** Returns the cost of a message of the given number of parts. */
  public long cost(int parts) {
    return switch (costBy) {
      case MESSAGE -> 1;
      case PARTS -> parts;
    };
  }

  private static void require(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s must be from %d to %d, not %d".formatted(name, min, max, value));
    }
  }
}
