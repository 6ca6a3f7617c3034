package dev.weir.notifications.analytics;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Answers questions about messages by aggregations of OpenSearch. Every method throws {@link
 * OpenSearchException} if OpenSearch does not answer, or not what it was asked. Thread-safe.
 */
public final class Analytics {
  /** Maximum number of users or minutes in an answer. */
  public static final int MAX_RESULTS = 1_000;

  /** Maximum length of a range of time. */
  public static final Duration MAX_RANGE = Duration.ofDays(31);

  /** Maximum length of a range of time in which minutes are compared. */
  public static final Duration MAX_PEAK_RANGE = Duration.ofDays(14);

  /** Maximum number of users whose rates are examined. */
  public static final int MAX_EXAMINED = 500;

  /** Maximum number of past windows that rates are compared with. */
  public static final int MAX_PAST_WINDOWS = 100;

  /** Maximum length of a window of rates. */
  public static final Duration MAX_WINDOW = Duration.ofDays(1);

  /** Further questions wait, so that operators cannot overload the cluster. */
  private static final int MAX_QUESTIONS = 4;

  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  private final OpenSearch search;
  private final Semaphore questions = new Semaphore(MAX_QUESTIONS);

  public Analytics(OpenSearch search) {
    this.search = search;
  }

  /**
   * Users with a number for each.
   *
   * @param maxError a user that is not listed may have up to this many more than it seems; above 0
   *     only if there are more users than OpenSearch compares
   */
  public record Users<T>(List<T> users, long maxError) {
    public Users {
      users = List.copyOf(users);
    }
  }

  /** What a user was sent. */
  public record Sender(long userId, long messages, long parts, long cost) {}

  /** How often a user's limit refused a message. */
  public record Limited(long userId, long refusals, Instant lastAt) {}

  /** The attempts in a minute. */
  public record Minute(Instant minute, long attempts, long sent, long limited) {}

  /** A user whose rate has left its usual range. */
  public record Unusual(long userId, long attempts, Baseline baseline, Baseline.Rate rate) {}

  /**
   * The users with unusual rates in the last window.
   *
   * @param window the last window
   * @param examined the number of users that were examined
   */
  public record UnusualRates(TimeRange window, int examined, List<Unusual> users) {
    public UnusualRates {
      users = List.copyOf(users);
    }
  }

  /** Returns the users that were sent the most messages, in that order. */
  public Users<Sender> topUsers(TimeRange range, int max) {
    SearchAnswer users = ask(AnalyticsQueries.topUsers(range, results(max))).at("users");
    return new Users<>(
        users.buckets().stream()
            .map(
                user ->
                    new Sender(user.key(), user.count(), user.value("parts"), user.value("cost")))
            .toList(),
        users.maxError());
  }

  /** Returns the users whose limits refused the most messages, in that order. */
  public Users<Limited> limited(TimeRange range, int max) {
    SearchAnswer users = ask(AnalyticsQueries.limited(range, results(max))).at("users");
    return new Users<>(
        users.buckets().stream()
            .map(
                user ->
                    new Limited(
                        user.key(), user.count(), Instant.ofEpochMilli(user.value("lastAt"))))
            .toList(),
        users.maxError());
  }

  /** Returns the minutes with the most attempts, in that order. */
  public List<Minute> peaks(TimeRange range, int max) {
    return ask(AnalyticsQueries.peaks(range, results(max))).at("minutes").buckets().stream()
        .map(
            minute ->
                new Minute(
                    Instant.ofEpochMilli(minute.key()),
                    minute.count(),
                    minute.at("sent").count(),
                    minute.at("limited").count()))
        .toList();
  }

  /**
   * Compares the last complete window before {@code until} with the windows before it, for the
   * users with the most attempts in all of them.
   *
   * @param window in whole minutes; windows begin at multiples of it since the epoch
   * @param past number of windows that are compared with, up to {@link #MAX_PAST_WINDOWS}
   * @param maxExamined number of users, up to {@link #MAX_EXAMINED}
   * @throws IllegalArgumentException if an argument is out of its range
   */
  public UnusualRates unusual(Instant until, Duration window, int past, int maxExamined) {
    require("past", past, MAX_PAST_WINDOWS);
    require("maxExamined", maxExamined, MAX_EXAMINED);
    require("window", window.toMinutes(), MAX_WINDOW.toMinutes());
    long windowMillis = Duration.ofMinutes(window.toMinutes()).toMillis();
    long end = Math.floorDiv(until.toEpochMilli(), windowMillis) * windowMillis;
    long begin = end - (past + 1) * windowMillis;
    TimeRange range = new TimeRange(Instant.ofEpochMilli(begin), Instant.ofEpochMilli(end));
    List<Long> busiest =
        ask(AnalyticsQueries.busiest(range, maxExamined)).at("users").buckets().stream()
            .map(SearchAnswer::key)
            .toList();
    TimeRange last = new TimeRange(Instant.ofEpochMilli(end - windowMillis), range.to());
    if (busiest.isEmpty()) {
      return new UnusualRates(last, 0, List.of());
    }
    SearchAnswer rates = ask(AnalyticsQueries.rates(range, window, busiest)).at("users").at("each");
    List<Unusual> unusual = new ArrayList<>();
    for (SearchAnswer user : rates.buckets()) {
      long[] counts = new long[past + 1];
      for (SearchAnswer bucket : user.at("windows").buckets()) {
        counts[bucket.index(begin, windowMillis, counts.length)] = bucket.count();
      }
      judge(user.key(), counts).ifPresent(unusual::add);
    }
    return new UnusualRates(last, busiest.size(), unusual);
  }

  private static Optional<Unusual> judge(long userId, long[] counts) {
    long last = counts[counts.length - 1];
    return Baseline.of(Arrays.copyOf(counts, counts.length - 1))
        .map(baseline -> new Unusual(userId, last, baseline, baseline.rate(last)))
        .filter(found -> found.rate() != Baseline.Rate.USUAL);
  }

  private static int results(int max) {
    require("max", max, MAX_RESULTS);
    return max;
  }

  private static void require(String name, long value, long max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(
          "%s must be from 1 to %d, not %d".formatted(name, max, value));
    }
  }

  private SearchAnswer ask(String query) {
    return bounded(
        () ->
            SearchAnswer.of(
                search,
                search.call(
                    "POST", "/" + EventIndices.PATTERN + "/_search?allow_no_indices=true", query)));
  }

  private <T> T bounded(Supplier<T> question) {
    try {
      if (!questions.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new OpenSearchException("too many questions to " + search + " at a time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OpenSearchException("interrupted", e);
    }
    try {
      return question.get();
    } finally {
      questions.release();
    }
  }
}
