package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes that count on one PostgreSQL count as one. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class LimitsOnTwoNodesIT {
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final int CALLERS = 8;
  private static final int ASKS = 20;

  @AutoClose private static final StartedParts STARTED = new StartedParts();

  @TempDir private static Path folder;
  private static Api first;
  private static Api second;

  @BeforeAll
  static void start() throws IOException {
    Database database = STARTED.add(Database.start(folder.resolve("data")));
    Map<String, String> settings = new HashMap<>(database.environment());
    settings.put("WEIR_LIMITS_STORE", "postgresql");
    // So that nothing is noticed merely because time has passed.
    settings.put("WEIR_LIMITS_CACHE_TTL", "PT1H");
    NodeProcess one = STARTED.add(NodeProcess.start(folder.resolve("1.log"), settings));
    NodeProcess two = STARTED.add(NodeProcess.start(folder.resolve("2.log"), settings));
    first = STARTED.add(new Api(one.awaitReady().address()));
    second = STARTED.add(new Api(two.awaitReady().address()));
  }

  @Test
  void togetherTheyGrantTheLimitAndNotOneMore() throws Exception {
    rule("{'name':'shared','allowedRequests':100,'windowSeconds':3600}");
    awaitRule("shared");
    assertThat(granted("/api/v1/check", "{'rule':'shared','key':'hot'}", 200)).isEqualTo(100);
    assertThat(granted("/api/v1/check", "{'rule':'shared','key':'other','cost':7}", 200))
        .isEqualTo(100 / 7);
  }

  @Test
  void togetherTheyGiveOutTheTokensOfABucketAndNotOneMore() throws Exception {
    assertThat(
            first
                .put("/api/v1/buckets/b", "{\"capacity\":50,\"refillRate\":0.000001}")
                .statusCode())
        .isEqualTo(200);
    assertThat(granted("/api/v1/buckets/b/acquire", "{'tokens':1}", 200)).isEqualTo(50);
  }

  @Test
  void togetherTheyGiveOutTheLeasesOfAResourceAndNotOneMore() throws Exception {
    assertThat(
            first
                .put("/api/v1/concurrency/c", "{\"maxConcurrent\":5,\"leaseTtl\":\"PT1H\"}")
                .statusCode())
        .isEqualTo(200);
    assertThat(granted("/api/v1/concurrency/c/leases", "{'count':1}", 201)).isEqualTo(5);
  }

  @Test
  void togetherTheyLetNoMoreWaitThanTheQueueHolds() throws Exception {
    rule(
        "{'name':'queued','allowedRequests':3,'windowSeconds':3600,'queueEnabled':true,"
            + "'maxQueueSize':2,'delayPerRequestMs':1500}");
    awaitRule("queued");
    List<FutureTask<HttpResponse<String>>> callers = new ArrayList<>();
    for (int caller = 0; caller < 12; caller++) {
      Api node = caller % 2 == 0 ? first : second;
      callers.add(
          new FutureTask<>(
              () -> node.post("/api/v1/check", "{\"rule\":\"queued\",\"key\":\"k\"}")));
    }
    callers.forEach(Thread.ofVirtual()::start);
    int passed = 0;
    int refused = 0;
    List<String> delays = new ArrayList<>();
    for (FutureTask<HttpResponse<String>> caller : callers) {
      HttpResponse<String> answer = caller.get();
      answer.headers().firstValue("X-RateLimit-Delay-Ms").ifPresent(delays::add);
      passed += answer.statusCode() == 200 ? 1 : 0;
      refused += answer.statusCode() == 429 ? 1 : 0;
    }
    assertThat(passed - delays.size()).isEqualTo(3);
    assertThat(passed + refused).isEqualTo(12);
    // On a slow machine a place may be free again before the last one asks, never one too many.
    assertThat(delays).contains("1500").allMatch(delay -> List.of("1500", "3000").contains(delay));
    // A request is refused only if the queue is full: two requests wait, one behind the other.
    if (refused > 0) {
      assertThat(delays).contains("3000");
    }
  }

  @Test
  void aRequestThatOneGrantedIsRepeatedByTheOther() throws Exception {
    rule("{'name':'once','allowedRequests':1,'windowSeconds':3600}");
    awaitRule("once");
    String check = "{\"rule\":\"once\",\"key\":\"a\",\"requestId\":\"r-once\"}";
    assertThat(first.post("/api/v1/check", check).body()).contains("\"replayed\":false");
    assertThat(second.post("/api/v1/check", check).body()).contains("\"replayed\":true");
  }

  @Test
  void aChangedRuleHoldsOnTheOtherNodeAtOnce() throws Exception {
    String id = rule("{'name':'changing','allowedRequests':1,'windowSeconds':3600}");
    awaitRule("changing");
    for (int limit = 2; limit < 12; limit++) {
      first.put(
          "/api/admin/rules/" + id,
          "{\"name\":\"changing\",\"allowedRequests\":%d,\"windowSeconds\":3600}".formatted(limit));
      String expected = "\"changing\";q=" + limit;
      Waiting.until(
          "limit " + limit + " on the other node",
          BOUND,
          () ->
              peek("changing")
                  .headers()
                  .firstValue("RateLimit-Policy")
                  .orElse("")
                  .startsWith(expected));
    }
  }

  private static String rule(String json) throws IOException, InterruptedException {
    HttpResponse<String> answer = first.post("/api/admin/rules", json.replace('\'', '"'));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return answer.body().replaceFirst("^\\{\"id\":(\\d+).*", "$1");
  }

  private static void awaitRule(String name) {
    Waiting.until(
        "rule " + name + " on the other node", BOUND, () -> peek(name).statusCode() != 404);
  }

  private static HttpResponse<String> peek(String rule) throws InterruptedException {
    try {
      return second.post(
          "/api/v1/check", "{\"rule\":\"%s\",\"key\":\"peek\",\"peek\":true}".formatted(rule));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** How often many callers on both nodes are answered so. */
  private static long granted(String path, String json, int status) throws Exception {
    List<FutureTask<Long>> callers = new ArrayList<>();
    for (int caller = 0; caller < CALLERS; caller++) {
      Api node = caller % 2 == 0 ? first : second;
      callers.add(
          new FutureTask<>(
              () ->
                  IntStream.range(0, ASKS)
                      .map(i -> status(node, path, json.replace('\'', '"')))
                      .filter(answered -> answered == status)
                      .count()));
    }
    callers.forEach(Thread.ofVirtual()::start);
    long granted = 0;
    for (FutureTask<Long> caller : callers) {
      granted += caller.get();
    }
    return granted;
  }

  private static int status(Api node, String path, String json) {
    int status =
        LockWait.answer(
                () -> node.post(path, json), answer -> LockWait.isUnavailable(answer.body()))
            .statusCode();
    assertThat(status).isIn(200, 201, 429);
    return status;
  }
}
