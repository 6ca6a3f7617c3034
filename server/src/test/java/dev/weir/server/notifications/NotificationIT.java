package dev.weir.server.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.notifications.server.node.NotificationSetting;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.LogWatch;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages over HTTP, on one node with its own PostgreSQL and Kafka. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class NotificationIT {
  private static final String INVALID = "Missing/Invalid Arguments";

  /** Each test has its own users. */
  private static final AtomicLong USERS = new AtomicLong(1_000);

  @TempDir private static Path folder;
  private static Node node;
  private static Http http;

  @BeforeAll
  static void start() {
    node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT, "0",
                    StoreSetting.DATA, folder.toString(),
                    ServerSetting.DRAIN, "PT0S",
                    StoreSetting.DB_WAIT, "PT1M",
                    // The first message waits for the start of the broker.
                    NotificationSetting.SEND_TIMEOUT, "PT3M"),
                Map.of(),
                Optional.empty()));
    http = new Http(node.address());
    // That may take as long as the windows of the tests.
    long user = USERS.incrementAndGet();
    configure(user, 1, 5).ok();
    send(user, "first").ok();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void aConfigurationIsAnsweredAndFoundAgain() {
    long user = USERS.incrementAndGet();
    Http.Answer configured = configure(user, 10, 5).ok();
    for (Http.Answer answer : List.of(configured, http.get("/api/config/" + user).ok())) {
      assertThat(answer.intAt("userId")).isEqualTo((int) user);
      assertThat(answer.intAt("rateLimit")).isEqualTo(10);
      assertThat(answer.intAt("timeWindow")).isEqualTo(5);
      assertThat(answer.intAt("currentCount")).isZero();
      assertThat(answer.textAt("lastRefreshTime")).endsWith("Z");
      assertThat(answer.textAt("algorithm")).isEqualTo("FIXED_WINDOW");
      assertThat(answer.textAt("cost")).isEqualTo("MESSAGE");
    }
    Http.Answer page = http.get("/api/config?limit=1&after=" + (user - 1)).ok();
    assertThat(page.intAt("users.0.userId")).isEqualTo((int) user);
    assertThat(page.intAt("next")).isEqualTo((int) user);
  }

  @Test
  void anInvalidConfigurationChangesNothing() {
    long user = USERS.incrementAndGet();
    configure(user, 10, 5).ok();
    for (String limit : List.of("0", "-1", "1.5", "1e30", "\"7\"", "null", "1000000001")) {
      Http.Answer refused =
          http.post(
              "/api/config",
              "{\"userId\":%d,\"rateLimit\":%s,\"timeWindow\":5}".formatted(user, limit));
      assertThat(refused.wrong("rateLimit").textAt("title")).isEqualTo(INVALID);
    }
    http.post("/api/config", "{\"userId\":-1,\"timeWindow\":0}")
        .wrong("userId", "rateLimit", "timeWindow");
    http.post("/api/config", "{\"userId\":1,\"rateLimit\":1,\"timeWindow\":1,\"rateLimits\":1}")
        .wrong("rateLimits");
    assertThat(http.post("/api/config", "{").problem(400, "malformed-json").textAt("title"))
        .isEqualTo(INVALID);
    assertThat(http.post("/api/config", "").problem(400, "malformed-json").textAt("title"))
        .isEqualTo(INVALID);
    assertThat(http.get("/api/config/x").wrong("userId").textAt("title")).isEqualTo(INVALID);
    assertThat(http.get("/api/config/" + user).ok().intAt("rateLimit")).isEqualTo(10);
  }

  @Test
  void aMessageIsSentAndReachesTheProvider() {
    long user = USERS.incrementAndGet();
    configure(user, 2, 5).ok();
    try (LogWatch logs = new LogWatch()) {
      Http.Answer sent = send(user, "Hello").ok();
      assertThat(sent.textAt("result")).isEqualTo("Message Sent Successfully");
      assertThat(sent.intAt("parts")).isEqualTo(1);
      assertThat(sent.header("ratelimit-policy")).hasValue("\"messages\";q=2;w=300");
      assertThat(sent.header("ratelimit").orElse("")).startsWith("\"messages\";r=1;t=");
      Waiting.until("the provider", () -> logs.text().contains("SMS Sent: " + user + ": Hello"));
      String path = "/api/messages/" + sent.textAt("messageId");
      Waiting.until("the state", () -> http.get(path).ok().textAt("state").equals("sent"));
      http.delete(path).problem(409, "not-deferred");
    }
    assertThat(http.get("/api/config/" + user).ok().intAt("currentCount")).isEqualTo(1);
  }

  @Test
  void messagesAreListedByUserStateAndTime() {
    long user = USERS.incrementAndGet();
    configure(user, 10, 5).ok();
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      sent.add(send(user, "text " + i).ok().textAt("messageId"));
    }
    for (String id : sent) {
      String path = "/api/messages/" + id;
      Waiting.until("the state", () -> http.get(path).ok().textAt("state").equals("sent"));
    }
    String first = http.get("/api/messages/" + sent.getFirst()).ok().textAt("createdAt");
    String last = http.get("/api/messages/" + sent.getLast()).ok().textAt("createdAt");
    String ofUser = "/api/messages?userId=" + user;

    List<String> listed = new ArrayList<>();
    String cursor = "";
    for (int page = 0; page < 3; page++) {
      Http.Answer answer = http.get(ofUser + "&state=sent&limit=2" + cursor).ok();
      int size = page < 2 ? 2 : 1;
      for (int i = 0; i < size; i++) {
        String id = answer.textAt("messages." + i + ".messageId");
        listed.add(id);
        // Each has an address of its own, where it is the same, and nowhere is its text.
        assertThat(answer.text()).contains(http.get("/api/messages/" + id).ok().text());
      }
      assertThat(answer.text()).doesNotContain("text ");
      assertThat(answer.text().contains("\"next\"")).isEqualTo(page < 2);
      cursor = page < 2 ? "&cursor=" + answer.textAt("next") : "";
      // What is sent meanwhile is on no further page.
      send(user, "later").ok();
    }
    assertThat(listed).isEqualTo(sent.reversed());

    assertThat(http.get("/api/messages?limit=1000&from=" + first).ok().text())
        .contains(sent.getFirst(), sent.getLast());
    assertThat(http.get(ofUser + "&to=" + first).ok().text()).isEqualTo("{\"messages\":[]}");
    assertThat(http.get(ofUser + "&to=" + last).ok().text())
        .contains(sent.getFirst())
        .doesNotContain(sent.getLast());
    assertThat(http.get(ofUser + "&state=failed").ok().text()).isEqualTo("{\"messages\":[]}");
    Http.Answer wrong =
        http.get("/api/messages?userId=-1&state=SENT&from=x&cursor=MTp4&limit=1001&size=1")
            .wrong("userId", "state", "from", "cursor", "limit", "size");
    assertThat(wrong.textAt("title")).isEqualTo(INVALID);
    http.get("/api/messages?userId=9223372036854775808").wrong("userId");
  }

  @Test
  void oneMessageTooManyIsRefusedAndNotCounted() {
    long user = USERS.incrementAndGet();
    configure(user, 1, 5).ok();
    send(user, "first").ok();
    Http.Answer refused = send(user, "second");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.textAt("title")).isEqualTo("Rate Limit Exceeded");
    assertThat(Integer.parseInt(refused.header("retry-after").orElseThrow())).isBetween(1, 300);
    assertThat(refused.header("ratelimit").orElse("")).startsWith("\"messages\";r=0;t=");
    assertThat(http.get("/api/config/" + user).ok().intAt("currentCount")).isEqualTo(1);
    // Another configuration begins afresh.
    configure(user, 1, 5).ok();
    send(user, "third").ok();
  }

  @Test
  void ofManyCallersWithOnePlaceExactlyOnePasses() throws Exception {
    long user = USERS.incrementAndGet();
    configure(user, 1, 5).ok();
    List<Future<Http.Answer>> answers = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 20; i++) {
        answers.add(callers.submit(() -> send(user, "race")));
      }
    }
    int sent = 0;
    for (Future<Http.Answer> answer : answers) {
      assertThat(answer.get().status()).isIn(200, 429);
      sent += answer.get().status() == 200 ? 1 : 0;
    }
    assertThat(sent).isEqualTo(1);
  }

  @Test
  void aRepeatedRequestHasTheSameAnswerAndOneCount() {
    long user = USERS.incrementAndGet();
    configure(user, 5, 5).ok();
    Http keyed = http.with("Idempotency-Key", "order-7");
    String body = body(user, "once");
    Http.Answer first = keyed.post("/api/send", body).ok();
    Http.Answer second = keyed.post("/api/send", body).ok();
    assertThat(second.text()).isEqualTo(first.text());
    assertThat(http.get("/api/config/" + user).ok().intAt("currentCount")).isEqualTo(1);
    keyed.post("/api/send", body(user, "other")).problem(409, "idempotency-key-reused");
    http.with("Idempotency-Key", "k".repeat(256)).post("/api/send", body).wrong("Idempotency-Key");
  }

  @Test
  void anUnknownUserIsNotFound() {
    Http.Answer unknown = send(7, "Hello").problem(404, "unknown-user");
    assertThat(unknown.textAt("title")).isEqualTo("User Not Found");
    assertThat(http.get("/api/config/7").problem(404, "unknown-user").textAt("title"))
        .isEqualTo("User Not Found");
  }

  @Test
  void invalidMessagesAreRefusedByName() {
    long user = USERS.incrementAndGet();
    configure(user, 5, 5).ok();
    for (String message : List.of("\"\"", "\" \\n\"", "7", "null", "\"a\\u0000\"", "\"\\ud800\"")) {
      Http.Answer refused =
          http.post("/api/send", "{\"userId\":%d,\"message\":%s}".formatted(user, message));
      assertThat(refused.wrong("message").textAt("title")).isEqualTo(INVALID);
    }
    send(user, "x".repeat(65_536)).wrong("message");
    http.post("/api/send", "{}").wrong("userId", "message");
    http.post("/api/send", new byte[] {(byte) 0xff, 0, 1}).problem(400, "malformed-json");
    http.post(
            "/api/send",
            "{\"userId\":%d,\"message\":\"a\",\"whenClosed\":\"later\"}".formatted(user))
        .wrong("whenClosed");
    assertThat(http.get("/api/config/" + user).ok().intAt("currentCount")).isZero();
  }

  @Test
  void aMessageThatCostsMoreThanTheLimitIsInvalid() {
    long user = USERS.incrementAndGet();
    http.post(
            "/api/config",
            "{\"userId\":%d,\"rateLimit\":2,\"timeWindow\":5,\"cost\":\"PARTS\"}".formatted(user))
        .ok();
    send(user, "x".repeat(400)).wrong("message");
    assertThat(send(user, "x".repeat(200)).ok().intAt("parts")).isEqualTo(2);
    assertThat(send(user, "short").status()).isEqualTo(429);
  }

  @Test
  void outsideItsHoursAMessageIsRefusedOrDeferredAndCanBeCancelled() {
    long user = USERS.incrementAndGet();
    // Two days ahead, so that it is closed now wherever midnight is.
    String day =
        ZonedDateTime.now(ZoneOffset.UTC)
            .plusDays(2)
            .getDayOfWeek()
            .name()
            .toLowerCase(Locale.ROOT);
    http.post(
            "/api/config",
            """
            {"userId":%d,"rateLimit":2,"timeWindow":5,
             "openHours":{"timeZone":"UTC","hours":{"%s":["12:00-13:00"]}}}
            """
                .formatted(user, day))
        .ok();
    Http.Answer refused = send(user, "night").problem(429, "outside-hours");
    assertThat(Long.parseLong(refused.header("retry-after").orElseThrow())).isPositive();
    assertThat(refused.textAt("opensAt")).endsWith("T12:00:00Z");
    Http.Answer deferred =
        http.post(
            "/api/send",
            "{\"userId\":%d,\"message\":\"night\",\"whenClosed\":\"defer\"}".formatted(user));
    assertThat(deferred.status()).as(deferred.text()).isEqualTo(202);
    assertThat(deferred.textAt("state")).isEqualTo("deferred");
    assertThat(deferred.textAt("dueAt")).isEqualTo(refused.textAt("opensAt"));
    String path = "/api/messages/" + deferred.textAt("messageId");
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertThat(http.get(path).ok().textAt("state")).isEqualTo("cancelled");
    assertThat(http.get("/api/config/" + user).ok().intAt("currentCount")).isZero();
  }

  @Test
  void anUnknownMessageIsNotFound() {
    String path = "/api/messages/" + UUID.randomUUID();
    http.get(path).problem(404, "unknown-message");
    http.delete(path).problem(404, "unknown-message");
    http.get("/api/messages/1-1-1-1-1").wrong("messageId");
  }

  @Test
  void aReplayWithoutDeadLettersPublishesNothing() {
    assertThat(http.post("/api/admin/messages/replay").ok().intAt("replayed")).isZero();
  }

  @Test
  void receiptsAreTakenOnlyWithTheWebhook() {
    http.post("/api/messages/receipts", "{}").problem(404, "receipts-disabled");
  }

  private static Http.Answer configure(long user, int limit, int minutes) {
    return http.post(
        "/api/config",
        "{\"userId\":%d,\"rateLimit\":%d,\"timeWindow\":%d}".formatted(user, limit, minutes));
  }

  private static Http.Answer send(long user, String message) {
    return http.post("/api/send", body(user, message));
  }

  private static String body(long user, String message) {
    return "{\"userId\":%d,\"message\":\"%s\"}".formatted(user, message);
  }
}
