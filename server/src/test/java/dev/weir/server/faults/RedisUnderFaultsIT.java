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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A Redis that is killed under load and comes back without its counts. */
@EnabledIf("dev.weir.server.faults.RedisProcess#isInstalled")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class RedisUnderFaultsIT {
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final int LIMIT = 50;
  private static final int CALLERS = 4;
  private static final int ASKS_OF_A_PHASE = 120;
  private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

  @AutoClose private final StartedParts started = new StartedParts();

  @TempDir private Path folder;
  private Api api;

  @Test
  void letsNoMorePassThanEachRuleSaysOfIt() throws Exception {
    RedisProcess redis = started.add(new RedisProcess(Ports.free(), folder.resolve("redis.log")));
    Database database = started.add(Database.start(folder.resolve("data")));
    Map<String, String> settings = new HashMap<>(database.environment());
    settings.put("WEIR_LIMITS_STORE", "redis");
    settings.put("WEIR_REDIS_URI", redis.address());
    settings.put("WEIR_REDIS_TIMEOUT", "PT1M");
    NodeProcess node = started.add(NodeProcess.start(folder.resolve("node.log"), settings));
    api = started.add(new Api(node.awaitReady().address()));
    Map<String, AtomicInteger> granted = new HashMap<>();
    for (String failure : List.of("closed", "fallback", "local", "open")) {
      rule(failure, failure, LIMIT, 36_000);
      granted.put(failure, new AtomicInteger());
    }
    // A short window, after which the other store may be asked.
    rule("probe", "fallback", 1_000_000, 1);
    AtomicInteger asked = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    List<FutureTask<Boolean>> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      callers.add(new FutureTask<>(() -> ask(granted, asked, over)));
    }
    callers.forEach(Thread.ofVirtual()::start);

    await("load on Redis", asked);
    assertThat(granted.get("open")).hasValue(LIMIT);
    redis.kill();
    awaitMode("fallback");
    Waiting.until(
        "a node that is ready", BOUND, () -> api.get("/health/ready").statusCode() == 200);
    await("load without Redis", asked);
    redis.start();
    awaitMode("store");
    await("load on the Redis that is back", asked);
    over.set(true);
    for (FutureTask<Boolean> caller : callers) {
      assertThat(caller.get()).isTrue();
    }

    assertThat(granted.get("closed").get()).isEqualTo(LIMIT);
    assertThat(granted.get("fallback").get()).isEqualTo(LIMIT);
    // Once by Redis, once by the only node, once by a Redis that knows nothing of it.
    assertThat(granted.get("local").get()).isBetween(2 * LIMIT, 3 * LIMIT);
    assertThat(granted.get("open").get()).isGreaterThan(2 * LIMIT);
    assertThat(api.get("/metrics").body())
        .contains("rate_limiter_limit_store_gone{store=\"redis\"} 0.0")
        .containsPattern("rate_limiter_decision_mode_total\\{mode=\"fallback\"} [1-9]");
  }

  /** Asks all rules in turns until it is over. */
  private boolean ask(Map<String, AtomicInteger> granted, AtomicInteger asked, AtomicBoolean over)
      throws IOException, InterruptedException {
    while (!over.get()) {
      for (Map.Entry<String, AtomicInteger> rule : granted.entrySet()) {
        int status = check(rule.getKey()).statusCode();
        // 503: Redis was killed after it received the request.
        assertThat(status).isIn(200, 429, 503);
        if (status == 200) {
          rule.getValue().incrementAndGet();
        }
      }
      asked.incrementAndGet();
      // A store that is given up is answered for at once, and that would be all that is done.
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  private static void await(String what, AtomicInteger asked) {
    int until = asked.get() + ASKS_OF_A_PHASE;
    Waiting.until(what, BOUND, () -> asked.get() >= until);
  }

  private void awaitMode(String mode) {
    Waiting.until(
        "mode " + mode,
        BOUND,
        () -> {
          try {
            return check("probe").body().contains("\"mode\":\"" + mode + "\"");
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private HttpResponse<String> check(String rule) throws IOException, InterruptedException {
    return api.post("/api/v1/check", "{\"rule\":\"%s\",\"key\":\"k\"}".formatted(rule));
  }

  private void rule(String name, String failure, int limit, int windowSeconds)
      throws IOException, InterruptedException {
    String json =
        "{'name':'%s','allowedRequests':%d,'windowSeconds':%d,'onStoreFailure':'%s'}"
            .formatted(name, limit, windowSeconds, failure);
    assertThat(api.post("/api/admin/rules", json.replace('\'', '"')).statusCode()).isEqualTo(201);
  }
}
