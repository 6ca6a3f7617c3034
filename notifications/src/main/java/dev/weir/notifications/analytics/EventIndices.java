package dev.weir.notifications.analytics;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.List;
import java.util.Optional;

/**
 * The indices of events, one for each day (UTC): their template, and their removal after the
 * retention.
 *
 * <p>Old indices are removed by this class and not by a policy of OpenSearch's index state
 * management, because that is a plugin which not every cluster has; two ways would mean that only
 * one of them is tested. Which days are old is decided by the clock of OpenSearch: the indices
 * belong to all nodes, and one whose clock is wrong must not remove them. Used by one thread.
 */
final class EventIndices {
  /** Matches all indices. */
  static final String PATTERN = "weir-notifications-*";

  private static final String PREFIX = "weir-notifications-";
  private static final String TEMPLATE = "/_index_template/weir-notifications";

  /** Incremented with each change of the template, which is then replaced. */
  private static final int TEMPLATE_VERSION = 1;

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("uuuu.MM.dd").withResolverStyle(ResolverStyle.STRICT);

  private static final String TEMPLATE_BODY =
      """
      {
        "index_patterns": ["%s"],
        "priority": 100,
        "version": %d,
        "template": {
          "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"},
          "mappings": {
            "dynamic": false,
            "properties": {
              "version": {"type": "integer"},
              "eventId": {"type": "keyword", "doc_values": false},
              "at": {"type": "date"},
              "outcome": {"type": "keyword"},
              "cause": {"type": "keyword"},
              "userId": {"type": "long"},
              "messageId": {"type": "keyword"},
              "parts": {"type": "integer"},
              "cost": {"type": "long"},
              "limit": {"type": "long"},
              "windowSeconds": {"type": "long"},
              "retryAfterSeconds": {"type": "long"}
            }
          }
        }
      }
      """
          .formatted(PATTERN, TEMPLATE_VERSION);

  private final OpenSearch search;
  private final Period retention;

  /** The time of OpenSearch when it was last read, and that of this process. */
  private Instant readAt = Instant.EPOCH;

  private long readNanos = System.nanoTime();

  EventIndices(OpenSearch search, Period retention) {
    this.search = search;
    this.retention = retention;
  }

  static String name(LocalDate day) {
    return PREFIX + DAY.format(day);
  }

  /** Reads the clock of OpenSearch; the right to read the indices is enough for that. */
  void readTime() {
    long seconds =
        search.call("GET", "/_cat/count/" + PATTERN + "?format=json&h=epoch", "").items().stream()
            .flatMap(row -> row.at("epoch").text().stream())
            .filter(text -> text.matches("[0-9]{1,11}"))
            .map(Long::parseLong)
            .findFirst()
            .orElseThrow(() -> OpenSearchException.unexpected(search + " does not say its time"));
    readAt = Instant.ofEpochSecond(seconds);
    readNanos = System.nanoTime();
  }

  /**
   * Returns true if an event of that day is kept: neither expired nor far in the future. The time
   * has to be read before.
   */
  boolean isKept(LocalDate day) {
    LocalDate today = today();
    return !day.isBefore(today.minus(retention)) && !day.isAfter(today.plusDays(1));
  }

  /** Creates the template unless it exists in this version or in one that an operator made. */
  void createTemplate() {
    long version =
        search.find(TEMPLATE).at("index_templates").items().stream()
            .map(found -> found.at("index_template").at("version").number().orElse(0L))
            .findFirst()
            .orElse(0L);
    if (version < TEMPLATE_VERSION) {
      var unused = search.call("PUT", TEMPLATE, TEMPLATE_BODY);
    }
  }

  /** Removes indices of days before the retention, and returns their names. */
  List<String> removeOld() {
    readTime();
    List<String> old =
        search.call("GET", "/_cat/indices/" + PATTERN + "?format=json&h=index", "").items().stream()
            .flatMap(row -> row.at("index").text().stream())
            .filter(
                name ->
                    day(name).filter(found -> found.isBefore(today().minus(retention))).isPresent())
            .toList();
    for (String index : old) {
      var unused = search.call("DELETE", "/" + index + "?ignore_unavailable=true", "");
    }
    return old;
  }

  /** Returns the day of an index; empty if the index is another one. */
  private static Optional<LocalDate> day(String index) {
    if (!index.startsWith(PREFIX)) {
      return Optional.empty();
    }
    try {
      return Optional.of(LocalDate.parse(index.substring(PREFIX.length()), DAY));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private LocalDate today() {
    return LocalDate.ofInstant(readAt.plusNanos(System.nanoTime() - readNanos), ZoneOffset.UTC);
  }
}
