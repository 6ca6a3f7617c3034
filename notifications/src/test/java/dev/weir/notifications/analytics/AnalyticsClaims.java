package dev.weir.notifications.analytics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.notifications.analytics.NotificationEvent.Outcome;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers of a real OpenSearch against what is counted naively. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class AnalyticsClaims {
  private static final Path QUERIES = Path.of("../deploy/opensearch-queries.json");
  private static final Duration WINDOW = Duration.ofMinutes(10);
  private static final int PAST = 24;

  private final OpenSearch search = TestSearch.client();
  private final Analytics analytics = new Analytics(search);
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
  private final TimeRange range = new TimeRange(now.minus(Duration.ofHours(23)), now);

  @BeforeEach
  void clear() {
    TestSearch.clear(search);
  }

  @AfterEach
  void close() {
    search.close();
  }

  @Test
  void countsWhatANaiveCountCounts() {
    for (long seed = 1; seed <= 2; seed++) {
      TestSearch.clear(search);
      List<NotificationEvent> events = random(seed, 1_500);
      index(events);
      List<NotificationEvent> inRange =
          events.stream()
              .filter(
                  event -> !event.at().isBefore(range.from()) && event.at().isBefore(range.to()))
              .toList();
      assertThat(analytics.topUsers(range, 1_000))
          .isEqualTo(new Analytics.Users<>(naiveTopUsers(inRange), 0));
      assertThat(analytics.topUsers(range, 5).users())
          .isEqualTo(naiveTopUsers(inRange).subList(0, 5));
      assertThat(analytics.limited(range, 1_000).users()).isEqualTo(naiveLimited(inRange));
      assertThat(analytics.peaks(range, 20)).isEqualTo(naivePeaks(inRange).subList(0, 20));
      assertThat(analytics.unusual(now, WINDOW, PAST, 500)).isEqualTo(naiveUnusual(events));
    }
  }

  @Test
  void flagsBurstsAndSilenceAndNothingElse() {
    Instant end = end();
    List<NotificationEvent> events = new ArrayList<>();
    for (int window = 0; window <= PAST; window++) {
      Instant at = end.minus(WINDOW.multipliedBy(window + 1)).plusSeconds(1);
      boolean isLast = window == 0;
      add(events, at, 1, isLast ? 100 : 20);
      add(events, at, 2, isLast ? 0 : 20);
      add(events, at, 3, isLast ? 23 : 20);
      add(events, at, 4, isLast ? 50 : 0);
    }
    index(events);
    Analytics.UnusualRates rates = analytics.unusual(now, WINDOW, PAST, 500);
    assertThat(rates.examined()).isEqualTo(4);
    assertThat(rates.window()).isEqualTo(new TimeRange(end.minus(WINDOW), end));
    assertThat(rates.users())
        .extracting(Analytics.Unusual::userId, Analytics.Unusual::attempts, Analytics.Unusual::rate)
        .containsExactlyInAnyOrder(
            tuple(1L, 100L, Baseline.Rate.HIGH), tuple(2L, 0L, Baseline.Rate.LOW));
  }

  @Test
  void savedQueriesAnswerTheSame() throws IOException {
    List<NotificationEvent> events =
        random(7, 1_000).stream().filter(event -> event.at().isAfter(range.from())).toList();
    index(events);
    Map<String, JsonTree> saved = JsonTree.read(Files.readAllBytes(QUERIES)).fields();
    assertThat(saved).containsOnlyKeys("top-users", "limited-users", "peaks");
    TimeRange day = new TimeRange(now.minus(Duration.ofDays(1)), now.plusSeconds(60));
    assertThat(ask("top-users", "users"))
        .isEqualTo(
            analytics.topUsers(day, 10).users().stream()
                .map(user -> List.of(user.userId(), user.messages()))
                .toList());
    assertThat(ask("limited-users", "users"))
        .isEqualTo(
            analytics.limited(day, 10).users().stream()
                .map(user -> List.of(user.userId(), user.refusals()))
                .toList());
    assertThat(ask("peaks", "minutes"))
        .hasSize(10)
        .isEqualTo(
            analytics.peaks(day, 10).stream()
                .map(minute -> List.of(minute.minute().toEpochMilli(), minute.attempts()))
                .toList());
  }

  @Test
  void withoutAnyEventEachAnswerIsEmpty() {
    assertThat(analytics.topUsers(range, 10).users()).isEmpty();
    assertThat(analytics.limited(range, 10).users()).isEmpty();
    assertThat(analytics.peaks(range, 10)).isEmpty();
    assertThat(analytics.unusual(now, WINDOW, PAST, 10).users()).isEmpty();
  }

  @Test
  void aMissingOpenSearchIsAFailure() {
    try (OpenSearch missing =
        new OpenSearch(OpenSearchSettings.of(URI.create("http://127.0.0.1:1")))) {
      assertThatThrownBy(() -> new Analytics(missing).peaks(range, 1))
          .isInstanceOf(OpenSearchException.class);
    }
  }

  /** Returns key and count of each bucket. */
  private List<List<Long>> ask(String name, String aggregation) throws IOException {
    String text = Files.readString(QUERIES);
    JsonTree saved = JsonTree.read(text.getBytes(StandardCharsets.UTF_8)).at(name);
    JsonTree answer =
        search.call(
            saved.at("method").text().orElseThrow(),
            saved.at("path").text().orElseThrow(),
            body(text, name));
    return answer.at("aggregations").at(aggregation).at("buckets").items().stream()
        .map(
            bucket ->
                List.of(
                    bucket.at("key").number().orElseThrow(),
                    bucket.at("doc_count").number().orElseThrow()))
        .toList();
  }

  /** Returns the text of a body, as a user would copy it. */
  private static String body(String queries, String name) {
    int from = queries.indexOf("{", queries.indexOf("\"body\"", queries.indexOf('"' + name + '"')));
    int depth = 0;
    for (int i = from; ; i++) {
      depth += queries.charAt(i) == '{' ? 1 : queries.charAt(i) == '}' ? -1 : 0;
      if (depth == 0) {
        return queries.substring(from, i + 1);
      }
    }
  }

  private List<NotificationEvent> random(long seed, int number) {
    Random random = new Random(seed);
    Outcome[] outcomes = Outcome.values();
    List<NotificationEvent> events = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      // Many in few minutes and of few users, so that there is something to find.
      double skewed = random.nextDouble() * random.nextDouble();
      Instant at = now.minusMillis((long) (skewed * Duration.ofHours(30).toMillis()) + 1);
      long userId = (long) (random.nextDouble() * random.nextDouble() * 50);
      events.add(EventScene.event(at, outcomes[random.nextInt(outcomes.length)], userId));
    }
    return events;
  }

  private static void add(List<NotificationEvent> events, Instant at, long userId, int number) {
    for (int i = 0; i < number; i++) {
      events.add(EventScene.event(at.plusSeconds(i), Outcome.SENT, userId));
    }
  }

  private void index(List<NotificationEvent> events) {
    EventIndices indices = new EventIndices(search, Period.ofDays(90));
    indices.createTemplate();
    List<EventDocument> documents =
        events.stream()
            .map(event -> EventJson.write(event.messageId().orElseThrow(), event))
            .map(json -> new ConsumerRecord<>("any", 0, 0, new byte[0], json))
            .map(record -> EventDocument.of(record).orElseThrow())
            .toList();
    assertThat(BulkResult.of(search, documents).indexed()).isEqualTo(events.size());
    TestSearch.refresh(search);
  }

  private static List<Analytics.Sender> naiveTopUsers(List<NotificationEvent> events) {
    return byUser(events, Outcome.SENT).entrySet().stream()
        .map(
            user ->
                new Analytics.Sender(
                    user.getKey(),
                    user.getValue().size(),
                    user.getValue().stream().mapToLong(NotificationEvent::parts).sum(),
                    2L * user.getValue().size()))
        .sorted(
            Comparator.comparingLong(Analytics.Sender::messages)
                .reversed()
                .thenComparingLong(Analytics.Sender::userId))
        .toList();
  }

  private static List<Analytics.Limited> naiveLimited(List<NotificationEvent> events) {
    return byUser(events, Outcome.LIMITED).entrySet().stream()
        .map(
            user ->
                new Analytics.Limited(
                    user.getKey(),
                    user.getValue().size(),
                    user.getValue().stream()
                        .map(NotificationEvent::at)
                        .max(Comparator.naturalOrder())
                        .orElseThrow()))
        .sorted(
            Comparator.comparingLong(Analytics.Limited::refusals)
                .reversed()
                .thenComparingLong(Analytics.Limited::userId))
        .toList();
  }

  private static List<Analytics.Minute> naivePeaks(List<NotificationEvent> events) {
    Map<Instant, List<NotificationEvent>> minutes =
        attempts(events).stream()
            .collect(Collectors.groupingBy(event -> event.at().truncatedTo(ChronoUnit.MINUTES)));
    return minutes.entrySet().stream()
        .map(
            minute ->
                new Analytics.Minute(
                    minute.getKey(),
                    minute.getValue().size(),
                    count(minute.getValue(), Outcome.SENT),
                    count(minute.getValue(), Outcome.LIMITED)))
        .sorted(
            Comparator.comparingLong(Analytics.Minute::attempts)
                .reversed()
                .thenComparing(Analytics.Minute::minute))
        .toList();
  }

  private Analytics.UnusualRates naiveUnusual(List<NotificationEvent> events) {
    Instant end = end();
    Instant begin = end.minus(WINDOW.multipliedBy(PAST + 1));
    Map<Long, long[]> counts = new TreeMap<>();
    for (NotificationEvent event : attempts(events)) {
      if (!event.at().isBefore(begin) && event.at().isBefore(end)) {
        int window = (int) Duration.between(begin, event.at()).dividedBy(WINDOW);
        counts.computeIfAbsent(event.userId(), any -> new long[PAST + 1])[window]++;
      }
    }
    List<Analytics.Unusual> unusual = new ArrayList<>();
    counts.entrySet().stream()
        .sorted(
            Comparator.comparingLong(
                    (Map.Entry<Long, long[]> user) -> Arrays.stream(user.getValue()).sum())
                .reversed()
                .thenComparing(Map.Entry::getKey))
        .forEach(
            user ->
                Baseline.of(Arrays.copyOf(user.getValue(), PAST))
                    .filter(b -> b.rate(user.getValue()[PAST]) != Baseline.Rate.USUAL)
                    .map(
                        b ->
                            new Analytics.Unusual(
                                user.getKey(),
                                user.getValue()[PAST],
                                b,
                                b.rate(user.getValue()[PAST])))
                    .ifPresent(unusual::add));
    return new Analytics.UnusualRates(
        new TimeRange(end.minus(WINDOW), end), counts.size(), unusual);
  }

  private Instant end() {
    long millis = WINDOW.toMillis();
    return Instant.ofEpochMilli(now.toEpochMilli() / millis * millis);
  }

  private static List<NotificationEvent> attempts(List<NotificationEvent> events) {
    return events.stream()
        .filter(
            event ->
                switch (event.outcome()) {
                  case SENT, REPEATED, DEFERRED, LIMITED, CLOSED, REJECTED, FAILED -> true;
                  case CANCELLED, TAKEN, UNDELIVERED -> false;
                })
        .toList();
  }

  private static Map<Long, List<NotificationEvent>> byUser(
      List<NotificationEvent> events, Outcome outcome) {
    return events.stream()
        .filter(event -> event.outcome() == outcome)
        .collect(
            Collectors.groupingBy(NotificationEvent::userId, TreeMap::new, Collectors.toList()));
  }

  private static long count(List<NotificationEvent> events, Outcome outcome) {
    return events.stream().map(NotificationEvent::outcome).filter(outcome::equals).count();
  }
}
