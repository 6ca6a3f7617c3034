package dev.weir.notifications.server;

import dev.weir.http.fields.Fields;
import dev.weir.notifications.analytics.Analytics;
import dev.weir.notifications.analytics.TimeRange;
import io.micronaut.http.HttpParameters;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Reads the parameters of questions. Each method throws a problem that names what is wrong. */
final class AnalyticsQuery {
  private static final Duration DEFAULT_RANGE = Duration.ofDays(1);
  private static final Duration DEFAULT_WINDOW = Duration.ofHours(1);
  private static final long DEFAULT_RESULTS = 10;
  private static final long DEFAULT_PAST_WINDOWS = 48;
  private static final long DEFAULT_EXAMINED = 200;

  private AnalyticsQuery() {}

  /** A range of time, and the maximum number of results. */
  record OfRange(TimeRange range, int limit) {
    static OfRange of(HttpParameters parameters, Instant now, Duration maxRange) {
      Fields query = Fields.of(parameters);
      Instant to = query.time("to").orElse(now);
      Instant from = query.time("from").orElse(to.minus(DEFAULT_RANGE));
      long limit = query.count("limit", Analytics.MAX_RESULTS).orElse(DEFAULT_RESULTS);
      query.refuseOtherParameters();
      if (!query.isWrong("from") && !query.isWrong("to")) {
        if (!from.isBefore(to)) {
          query.wrong("from", "must be before to");
        } else if (Duration.between(from, to).compareTo(maxRange) > 0) {
          query.wrong("from", "must be at most %d days before to".formatted(maxRange.toDays()));
        }
      }
      query.throwIfWrong();
      return new OfRange(new TimeRange(from, to), (int) limit);
    }
  }

  /** Windows whose rates are compared. */
  record OfRates(Instant to, Duration window, int past, int examined) {
    static OfRates of(HttpParameters parameters, Instant now) {
      Fields query = Fields.of(parameters);
      Instant to = query.time("to").orElse(now);
      Duration window = query.duration("window").orElse(DEFAULT_WINDOW);
      if (!isWindow(window)) {
        query.wrong(
            "window", "must be whole minutes from PT1M to %s".formatted(Analytics.MAX_WINDOW));
      }
      long past = query.count("history", Analytics.MAX_PAST_WINDOWS).orElse(DEFAULT_PAST_WINDOWS);
      long examined = query.count("users", Analytics.MAX_EXAMINED).orElse(DEFAULT_EXAMINED);
      query.refuseOtherParameters();
      query.throwIfWrong();
      return new OfRates(to, window, (int) past, (int) examined);
    }

    private static boolean isWindow(Duration window) {
      return window.isPositive()
          && window.compareTo(Analytics.MAX_WINDOW) <= 0
          && window.equals(window.truncatedTo(ChronoUnit.MINUTES));
    }
  }
}
