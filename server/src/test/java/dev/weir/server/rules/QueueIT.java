package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.LimitNames;
import dev.weir.limits.Queue;
import dev.weir.node.wiring.Node;
import dev.weir.rules.spec.Quota;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import dev.weir.server.wiring.TestNode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests beyond the limit wait, over real HTTP. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class QueueIT {
  private static final String ASK = "{\"rule\":\"q\",\"key\":\"k\"}";

  /** So many that the last of them waits for most of an hour. */
  private static final int MANY_PLACES = 100;

  /** The longest that a rule may have. */
  private static final Duration LONGEST_WAIT =
      Duration.ofMillis(Quota.QueueSettings.MAX_DELAY_MILLIS);

  private Node node;
  private Http http;

  @BeforeEach
  void start() {
    node = TestNode.inMemory(Map.of());
    http = new Http(node.address());
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private int make(int queue, int delayMillis) {
    return make(http, 3_600, queue, delayMillis);
  }

  private static int make(Http where, int windowSeconds, int queue, int delayMillis) {
    return where
        .post(
            "/api/admin/rules",
            """
            {"name":"q","pathPattern":"/**","allowedRequests":3,"windowSeconds":%d,
             "queueEnabled":true,"maxQueueSize":%d,"delayPerRequestMs":%d}
            """
                .formatted(windowSeconds, queue, delayMillis))
        .intAt("id");
  }

  private static List<Http.Answer> concurrently(Http where, int callers) throws Exception {
    List<FutureTask<Http.Answer>> asking = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      asking.add(new FutureTask<>(() -> where.post("/api/v1/check", ASK)));
    }
    asking.forEach(Thread.ofVirtual()::start);
    List<Http.Answer> answers = new ArrayList<>();
    for (FutureTask<Http.Answer> each : asking) {
      answers.add(each.get());
    }
    return answers;
  }

  /** By the clock of the limits, all eight arrive at the same time, however busy the machine is. */
  @Test
  void ofEightAtOnceThreePassTwoWaitAndThreeAreRefused() throws Exception {
    List<Http.Answer> answers;
    long tookMillis;
    try (TestNode.Served served = TestNode.onClock(InstantSource.fixed(Instant.now()))) {
      Http standing = new Http(served.address());
      make(standing, 10, 2, 500);
      long startNanos = System.nanoTime();
      answers = concurrently(standing, 8);
      tookMillis = (System.nanoTime() - startNanos) / 1_000_000;
    }

    assertThat(answers.stream().filter(answer -> answer.status() == 429)).hasSize(3);
    List<Http.Answer> queued =
        answers.stream().filter(answer -> answer.header("x-ratelimit-queued").isPresent()).toList();
    assertThat(queued)
        .extracting(answer -> answer.header("x-ratelimit-delay-ms").orElseThrow())
        .containsExactlyInAnyOrder("500", "1000");
    assertThat(queued).allMatch(answer -> answer.status() == 200);
    assertThat(answers.stream().filter(answer -> answer.status() == 200)).hasSize(5);
    // The last one has waited at least for its delay.
    assertThat(tookMillis).isGreaterThanOrEqualTo(1_000);
  }

  /** A lease that is shorter than the wait before the answer that carries it. */
  @ParameterizedTest
  @ValueSource(strings = {"", ",\"requestId\":\"id\""})
  void leaseIsHandedOverAfterTheWait(String requestId) {
    make(1, 1_500);
    http.post(
        "/api/admin/rules",
        "{\"name\":\"c\",\"algorithm\":\"CONCURRENCY\",\"maxConcurrent\":1,\"leaseTtl\":\"PT1S\"}");
    for (int i = 0; i < 3; i++) {
      http.post("/api/v1/check", ASK).ok();
    }
    Http.Answer answer =
        http.post(
                "/api/v1/check",
                "{\"all\":[{\"rule\":\"c\",\"key\":\"k\"},%s]%s}".formatted(ASK, requestId))
            .ok();
    assertThat(answer.intAt("delayMs")).isEqualTo(1_500);
    assertThat(Instant.parse(answer.textAt("expiresAt")))
        .isAfter(Instant.parse(answer.textAt("decidedAt")).plusMillis(1_500));
  }

  /** The clock of the limits stands, so no place becomes free by itself. */
  @Test
  void aClientThatLeavesWhileWaitingFreesItsPlace() throws Exception {
    try (TestNode.Served served = TestNode.onClock(InstantSource.fixed(Instant.now()))) {
      Http standing = new Http(served.address());
      make(standing, 3_600, MANY_PLACES, (int) LONGEST_WAIT.toMillis());
      // Behind all of these, a request waits longer than anything takes.
      String resource = LimitNames.resource("queue", "q", "k");
      Queue queue = Queue.of(MANY_PLACES, LONGEST_WAIT);
      for (int i = 1; i < MANY_PLACES; i++) {
        served.leases().join(resource, queue, "before-" + i);
      }
      for (int i = 0; i < 3; i++) {
        standing.post("/api/v1/check", ASK).ok();
      }
      try (RawHttp waiting = new RawHttp(served.address())) {
        waiting.send(
            "POST /api/v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: "
                + ASK.length()
                + "\r\n\r\n"
                + ASK);
        awaitMetric(standing, "rate_limiter_queue_waiting 1.0");
        standing.post("/api/v1/check", ASK).refused();
      }
      awaitMetric(standing, "rate_limiter_queue_waiting 0.0");
      assertThat(standing.get("/metrics").text())
          .contains("rate_limiter_decisions_total{outcome=\"queued\",rule=\"q\"} 1.0");
      try (RawHttp next = new RawHttp(served.address())) {
        next.send("GET /api/v1/authorize HTTP/1.1\r\nHost: localhost\r\nX-Original-URI: /\r\n\r\n");
        // Another key, with its own count.
        assertThat(next.readTo("\r\n\r\n")).startsWith("HTTP/1.1 200");
      }
      String peek = "{\"rule\":\"q\",\"key\":\"k\",\"peek\":true}";
      assertThat(standing.post("/api/v1/check", peek).status()).isEqualTo(200);
    }
  }

  private static void awaitMetric(Http where, String line) {
    Waiting.until(line, () -> where.get("/metrics").text().contains(line));
  }

  @Test
  void whoWaitsInTheQueueOfARuleThatIsRemovedPassesAllTheSame() throws Exception {
    int id = make(1, 700);
    for (int i = 0; i < 3; i++) {
      http.post("/api/v1/check", ASK).ok();
    }
    FutureTask<Http.Answer> waiting = new FutureTask<>(() -> http.post("/api/v1/check", ASK));
    Thread.ofVirtual().start(waiting);
    // Counted when the wait begins, which may be over already.
    awaitMetric(http, "rate_limiter_decisions_total{outcome=\"queued\",rule=\"q\"} 1.0");
    assertThat(http.delete("/api/admin/rules/" + id).status()).isEqualTo(204);
    assertThat(waiting.get().ok().at("queued")).isEqualTo(true);
    http.post("/api/v1/check", ASK).problem(404, "unknown-rule");
  }

  @Test
  void leasesAreTakenAndGivenBackByTheirId() {
    http.post(
        "/api/admin/rules",
        "{\"name\":\"two\",\"algorithm\":\"CONCURRENCY\",\"maxConcurrent\":2,"
            + "\"leaseTtl\":\"PT1H\"}");
    String ask = "{\"rule\":\"two\",\"key\":\"k\"}";
    Http.Answer first = http.post("/api/v1/check", ask).ok();
    assertThat(first.intAt("remaining")).isEqualTo(1);
    http.post("/api/v1/check", ask).ok();
    http.post("/api/v1/check", ask).refused();
    String release =
        "{\"rule\":\"two\",\"key\":\"k\",\"leaseId\":\"%s\"}".formatted(first.textAt("leaseId"));
    assertThat(http.post("/api/v1/refund", release).status()).isEqualTo(204);
    assertThat(http.post("/api/v1/refund", release).status()).isEqualTo(204);
    http.post("/api/v1/check", ask).ok();
    http.post("/api/v1/check", ask).refused();
    http.post("/api/v1/refund", ask).wrong("leaseId");
  }

  @Test
  void aRuleInTheShadowLetsPass() {
    http.post(
        "/api/admin/rules",
        "{\"name\":\"dark\",\"mode\":\"shadow\",\"allowedRequests\":1,\"windowSeconds\":3600}");
    String ask = "{\"rule\":\"dark\",\"key\":\"k\"}";
    for (int i = 0; i < 3; i++) {
      Http.Answer answer = http.post("/api/v1/check", ask).ok();
      assertThat(answer.at("allowed")).isEqualTo(true);
      assertThat(answer.at("shadow")).isEqualTo(true);
      assertThat(answer.header("ratelimit")).isEmpty();
    }
    assertThat(http.get("/metrics").text())
        .contains("rate_limiter_decisions_total{outcome=\"shadow_allowed\",rule=\"dark\"} 1.0")
        .contains("rate_limiter_decisions_total{outcome=\"shadow_refused\",rule=\"dark\"} 2.0");
  }
}
