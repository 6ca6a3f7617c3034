package dev.weir.notifications.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.LossyRelay;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a real Kafka and a real OpenSearch. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class IndexerClaims {
  private final OpenSearch search = TestSearch.client();
  private final EventScene scene = new EventScene();

  @BeforeEach
  void clear() {
    TestSearch.clear(search);
  }

  @AfterEach
  void close() {
    scene.close();
    search.close();
  }

  @Test
  void eachEventIsOneDocumentInTheIndexOfItsDay() {
    Instant now = Instant.now();
    List<NotificationEvent> events = new ArrayList<>(EventScene.events(700));
    events.add(
        EventScene.event(
            now.minus(Duration.ofDays(3)), NotificationEvent.Outcome.SENT, Long.MAX_VALUE));
    scene.publish(events);
    CountingObserver observer = new CountingObserver();
    Indexer unused = scene.start(search, observer);
    observer.awaitHandled(events.size());
    assertThat(observer.indexed).isEqualTo(events.size());
    assertThat(TestSearch.documents(search).keySet()).isEqualTo(ids(events));
    LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    assertThat(TestSearch.indices(search))
        .contains(EventIndices.name(today), EventIndices.name(today.minusDays(3)))
        .allMatch(name -> name.matches("weir-notifications-\\d{4}\\.\\d{2}\\.\\d{2}"));
    JsonTree mappings =
        search
            .call("GET", "/" + EventIndices.name(today) + "/_mapping", "")
            .at(EventIndices.name(today))
            .at("mappings");
    assertThat(mappings.at("properties").at("userId").at("type").text()).contains("long");
    assertThat(mappings.at("dynamic").text()).contains("false");
  }

  @Test
  void restartsAndReplaysDoubleNothing() {
    List<NotificationEvent> events = EventScene.events(700);
    scene.publish(events);
    // As after a second publication of the same message.
    scene.publish(events.subList(0, 100));
    CountingObserver first = new CountingObserver();
    scene.start(search, first).close();
    Indexer again = scene.start(search, first);
    first.awaitHandled(800);
    again.close();
    long handled = first.indexed + first.duplicates;
    // What is committed is not read again.
    CountingObserver second = new CountingObserver();
    scene.publish(EventScene.events(1));
    Indexer last = scene.start(search, second);
    second.awaitHandled(1);
    last.close();
    assertThat(second.indexed + second.duplicates).isEqualTo(1);
    // Another group reads all of them again.
    CountingObserver replay = new CountingObserver();
    Indexer unused =
        scene.start(search, replay, scene.settings.withGroup("replay-" + UUID.randomUUID()));
    replay.awaitHandled(801);
    assertThat(replay.indexed).isZero();
    assertThat(first.indexed).isEqualTo(700);
    assertThat(handled).isGreaterThanOrEqualTo(800);
    assertThat(TestSearch.documents(search)).hasSize(701);
  }

  /** What is written and not confirmed is written again, under the same ids. */
  @Test
  void lostAnswersLoseAndDoubleNothing() throws IOException {
    List<NotificationEvent> events = EventScene.events(900);
    CountingObserver observer = new CountingObserver();
    try (LossyRelay relay = new LossyRelay(TestSearch.address().getPort());
        OpenSearch client = client(URI.create("http://127.0.0.1:" + relay.port()))) {
      Indexer indexer = scene.start(client, observer);
      scene.publish(events.subList(0, 300));
      observer.awaitHandled(300);
      relay.loseAnswersTo("HTTP/1.1");
      scene.publish(events.subList(300, 600));
      awaitDown(indexer);
      relay.loseAnswersTo("what no request contains");
      scene.publish(events.subList(600, 900));
      observer.awaitHandled(900);
      // It says so a little after it has counted the last events.
      Await.until(() -> !indexer.isDown());
      indexer.close();
    }
    assertThat(observer.rejected).isZero();
    assertThat(observer.duplicates).isPositive();
    assertThat(TestSearch.documents(search).keySet()).isEqualTo(ids(events));
  }

  @Test
  void whatIsNoEventOrDoesNotFitIsCountedAndKeepsNoOtherWaiting() {
    List<NotificationEvent> events = EventScene.events(50);
    scene.publish(events.subList(0, 25));
    NotificationEvent old =
        EventScene.event(
            Instant.now().minus(Duration.ofDays(100)), NotificationEvent.Outcome.SENT, 1);
    String valid = text(EventScene.events(1).getFirst());
    List<String> wrong =
        List.of(
            "no JSON",
            "{}",
            text(old),
            valid.replace("-7", "-4"),
            valid.replace("\"outcome\"", "\"result\""),
            // Passes our check; only OpenSearch knows that it does not fit the mapping.
            valid.replaceFirst("\"parts\":\\d+", "\"parts\":{\"a\":1}"));
    scene.publishRaw(wrong.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList());
    scene.publish(events.subList(25, 50));
    CountingObserver observer = new CountingObserver();
    Indexer unused = scene.start(search, observer);
    observer.awaitHandled(56);
    assertThat(observer.rejected).isEqualTo(wrong.size());
    assertThat(TestSearch.documents(search).keySet()).isEqualTo(ids(events));
  }

  @Test
  void indicesBeyondTheRetentionAreRemovedAndOthersStay() {
    LocalDate today = LocalDate.ofInstant(Instant.now(), ZoneOffset.UTC);
    List<String> kept =
        List.of(
            EventIndices.name(today.minusDays(2)),
            "weir-notifications-2020.13.45",
            "weir-notifications-of-mine",
            "weir-other-2020.01.01");
    List<String> old =
        List.of(EventIndices.name(today.minusDays(4)), "weir-notifications-2020.01.01");
    for (String index : kept) {
      search.call("PUT", "/" + index, "");
    }
    for (String index : old) {
      search.call("PUT", "/" + index, "");
    }
    CountingObserver observer = new CountingObserver();
    scene.publish(EventScene.events(1));
    Indexer unused = scene.start(search, observer, scene.settings.withRetention(Period.ofDays(3)));
    observer.awaitHandled(1);
    assertThat(TestSearch.indices(search)).containsAll(kept).doesNotContainAnyElementsOf(old);
  }

  @Test
  void aTemplateOfAnOperatorIsKept() {
    search.call(
        "PUT",
        "/_index_template/weir-notifications",
        "{\"index_patterns\":[\"weir-notifications-*\"],\"version\":1000}");
    CountingObserver observer = new CountingObserver();
    scene.publish(EventScene.events(1));
    Indexer unused = scene.start(search, observer);
    observer.awaitHandled(1);
    assertThat(
            search
                .find("/_index_template/weir-notifications")
                .at("index_templates")
                .items()
                .stream()
                .map(found -> found.at("index_template").at("version").number().orElseThrow()))
        .containsExactly(1_000L);
  }

  /**
   * A cluster that is too busy for most documents, and for some requests as a whole, and refuses
   * large ones. A real one cannot be made to do so at will.
   */
  @Test
  void busyClusterGetsEachDocumentUntilItTakesIt() throws IOException {
    Set<String> taken = ConcurrentHashMap.newKeySet();
    AtomicInteger requests = new AtomicInteger();
    HttpServer busy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    busy.createContext("/", exchange -> answer(exchange, 200, "[]"));
    busy.createContext("/_cat/count", exchange -> answer(exchange, 200, time(Instant.now())));
    busy.createContext("/_index_template", exchange -> answer(exchange, 200, "{}"));
    busy.createContext("/_bulk", exchange -> bulk(exchange, taken, requests.incrementAndGet()));
    busy.start();
    URI url = URI.create("http://127.0.0.1:" + busy.getAddress().getPort());
    List<NotificationEvent> events = EventScene.events(300);
    CountingObserver observer = new CountingObserver();
    try (OpenSearch client = client(url)) {
      scene.publish(events);
      Indexer indexer = scene.start(client, observer);
      observer.awaitHandled(300);
      indexer.close();
    } finally {
      busy.stop(0);
    }
    assertThat(taken).isEqualTo(ids(events));
    assertThat(observer.indexed).isEqualTo(300);
    assertThat(observer.rejected).isZero();
  }

  /** A node whose clock is 400 days ahead of that of OpenSearch. */
  @Test
  void clockOfOpenSearchDecidesWhichDaysAreOld() throws Exception {
    Instant there = Instant.now().minus(Duration.ofDays(400));
    LocalDate today = LocalDate.ofInstant(there, ZoneOffset.UTC);
    Set<String> removed = ConcurrentHashMap.newKeySet();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          removed.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
          answer(exchange, 200, "{}");
        });
    server.createContext("/_cat/count", exchange -> answer(exchange, 200, time(there)));
    String indices =
        "[{\"index\":\"%s\"},{\"index\":\"%s\"}]"
            .formatted(
                EventIndices.name(today.minusDays(89)), EventIndices.name(today.minusDays(92)));
    server.createContext("/_cat/indices", exchange -> answer(exchange, 200, indices));
    server.start();
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    try (OpenSearch client = client(url)) {
      EventIndices kept = new EventIndices(client, Period.ofDays(90));
      assertThat(kept.removeOld()).containsExactly(EventIndices.name(today.minusDays(92)));
      assertThat(kept.isKept(today.minusDays(89))).isTrue();
      assertThat(kept.isKept(today.plusDays(399))).isFalse();
    } finally {
      server.stop(0);
    }
    assertThat(removed).containsExactly("DELETE /" + EventIndices.name(today.minusDays(92)));
  }

  private static OpenSearch client(URI url) {
    return new OpenSearch(OpenSearchSettings.of(url).withTimeout(TestSearch.MAX_WAIT));
  }

  private static String time(Instant at) {
    return "[{\"epoch\":\"%d\"}]".formatted(at.getEpochSecond());
  }

  private static void bulk(HttpExchange exchange, Set<String> taken, int request)
      throws IOException {
    List<String> lines =
        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    if (lines.size() / 2 > 100) {
      answer(exchange, 413, "{}");
    } else if (request % 3 == 0) {
      answer(exchange, 429, "{}");
    } else {
      List<String> items = new ArrayList<>();
      for (int i = 0; i < lines.size(); i += 2) {
        boolean isTaken = (i / 2 + request) % 4 == 0;
        if (isTaken) {
          taken.add(JsonTree.read(bytes(lines.get(i))).at("create").at("_id").text().orElseThrow());
        }
        items.add("{\"create\":{\"status\":%d}}".formatted(isTaken ? 201 : 429));
      }
      answer(exchange, 200, "{\"items\":[" + String.join(",", items) + "]}");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = bytes(body);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  /** Nothing tells that OpenSearch is down, so it is asked for, until the time-out of the test. */
  static void awaitDown(Indexer indexer) {
    while (!indexer.isDown()) {
      new CompletableFuture<Boolean>().completeOnTimeout(true, 5, TimeUnit.MILLISECONDS).join();
    }
  }

  private static String text(NotificationEvent event) {
    return new String(
        EventJson.write(event.messageId().orElseThrow(), event), StandardCharsets.UTF_8);
  }

  static Set<String> ids(List<NotificationEvent> events) {
    return events.stream()
        .map(event -> event.messageId().orElseThrow().toString())
        .collect(Collectors.toSet());
  }
}
