package dev.weir.node.settings;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Answers settings of systems that count events by a row for each window, which all call them
 * {@code rate-limiter.…}: what each is called here, or why there is none. They are recognised by
 * their words, because every such system arranges them in its own way.
 */
final class OtherSystems {
  /** In the notations of properties, of Java and of variables. */
  private static final Pattern NAME =
      Pattern.compile("rate[-_.]?limit(er|ing)?[-_.](?<rest>.+)", Pattern.CASE_INSENSITIVE);

  private static final Pattern WORD_BORDER = Pattern.compile("(?<=[a-z])(?=[A-Z])|[-_.]");

  private static final String OF_A_CONFIGURATION =
      " of a configuration, which is stored with its versions and not a setting:"
          + " POST /admin/rate-limit/config";

  /**
   * An answer to settings that have a word of each set.
   *
   * @param words all of these have to occur, each in one of its forms
   */
  private record Answer(List<Set<String>> words, String text) {
    boolean fits(Set<String> given) {
      return words.stream().allMatch(forms -> forms.stream().anyMatch(given::contains));
    }
  }

  /** The first that fits counts, so what has more words, or the more telling ones, comes first. */
  private static final List<Answer> ANSWERS =
      List.of(
          called("weir.slots.cache-ttl", Set.of("cache", "cached", "caching")),
          called("weir.slots.default-name", Set.of("default"), Set.of("config", "name")),
          called("weir.slots.leak-grace", Set.of("leak", "leaked", "grace", "orphan", "orphaned")),
          called("weir.slots.reclaim", Set.of("reclaim", "reclaimed")),
          called(
              "weir.slots.upkeep-every",
              Set.of("reconcile", "reconciler", "cleanup", "purge"),
              Set.of("interval", "every", "cron", "schedule", "period", "delay")),
          called(
              "weir.slots.retention",
              Set.of("retention", "cleanup", "purge", "ttl", "keep", "archive")),
          none(
              "Windows have no rows before they hold events, so nothing is provisioned ahead",
              Set.of("headroom", "provision", "provisioning", "frontier", "prefill", "preload")),
          none(
              "The earliest free window is found by one look-up, however deep the backlog; maxDelay"
                  + " of a configuration bounds how late a slot may be",
              Set.of(
                  "search", "depth", "lookahead", "chunk", "chunks", "horizon", "scan", "ahead")),
          called(
              "windowSize, a field" + OF_A_CONFIGURATION,
              Set.of("window", "wndw"),
              Set.of("size", "duration", "length", "secs", "seconds", "sec", "ms", "millis")),
          called("weir.slots.max-batch", Set.of("batch")),
          called("weir.db.pool.max", Set.of("pool")),
          none(
              "No window is locked; a transaction waits up to 10 s for its configuration, and is"
                  + " repeated where that is safe",
              Set.of(
                  "lock", "locks", "locking", "skip", "retry", "retries", "attempts", "backoff")),
          called("spread, a field" + OF_A_CONFIGURATION, Set.of("jitter", "spread", "smoothing")),
          called("maxDelay, a field" + OF_A_CONFIGURATION, Set.of("max"), Set.of("delay", "wait")),
          called("calendar, a field" + OF_A_CONFIGURATION, Set.of("calendar", "hours", "holidays")),
          called("timeZone in the calendar" + OF_A_CONFIGURATION, Set.of("zone", "timezone")),
          called(
              "weir.db.url", Set.of("jdbc", "datasource", "database", "db"), Set.of("url", "uri")),
          called(
              "weir.db.user",
              Set.of("jdbc", "datasource", "database", "db"),
              Set.of("user", "username")),
          called("weir.db.password", Set.of("password")),
          none(
              "The tables have fixed names, which docs/adoption.md compares with the usual ones",
              Set.of("table", "tables", "schema", "prefix")),
          none(
              "Metrics are always at /metrics, named rate_limiter_…",
              Set.of("metrics", "metric", "micrometer")),
          none(
              "Every configuration is in force from its creation; pausedUntil pauses one",
              Set.of("enabled", "disabled", "active")),
          called("weir.db.wait", Set.of("timeout")),
          called(
              "maxPerWindow, a field" + OF_A_CONFIGURATION,
              Set.of("max", "limit", "capacity", "count", "permits", "tps", "rate", "per")));

  private OtherSystems() {}

  private static Answer called(String name, Set<String> words) {
    return new Answer(List.of(words), "it is called " + name);
  }

  private static Answer called(String name, Set<String> words, Set<String> furtherWords) {
    return new Answer(List.of(words, furtherWords), "it is called " + name);
  }

  private static Answer none(String reason, Set<String> words) {
    return new Answer(List.of(words), "there is none. " + reason);
  }

  /** Returns what a setting is called here, or why there is none; empty if it is of no system. */
  static Optional<String> answer(String key) {
    Matcher named = NAME.matcher(key);
    if (!named.matches()) {
      return Optional.empty();
    }
    Set<String> words =
        WORD_BORDER
            .splitAsStream(named.group("rest"))
            .map(word -> word.toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    return Optional.of(
        ANSWERS.stream()
            .filter(answer -> answer.fits(words))
            .findFirst()
            .map(Answer::text)
            .orElse("docs/adoption.md compares such settings with those of Weir"));
  }
}
