package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.RedisProcess;
import dev.weir.server.faults.Waiting;
import dev.weir.server.gateway.node.GatewaySetting;
import dev.weir.server.http.Http;
import dev.weir.server.http.LogWatch;
import dev.weir.server.limits.node.LimitSetting;
import dev.weir.store.tck.internal.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A node whose Redis does not accept its password. */
@EnabledIf("dev.weir.server.faults.RedisProcess#isInstalled")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class LimitStoreAwayIT {
  private static final String READY = "/health/ready";
  private static final String CHECK = "/api/v1/check";

  @TempDir private Path folder;
  private RedisProcess redis;
  private Node node;
  private Http http;
  private LogWatch log;

  @BeforeEach
  void start() throws Exception {
    log = new LogWatch();
    redis = new RedisProcess(FreePort.find(), folder.resolve("redis.log"));
  }

  private void startNode() {
    Map<Setting, String> given = new HashMap<>();
    given.put(ServerSetting.PORT, "0");
    given.put(StoreSetting.SLOTS_STORE, "memory");
    given.put(LimitSetting.STORE, "redis");
    given.put(LimitSetting.FALLBACK, "none");
    given.put(StoreSetting.REDIS_URI, redis.address());
    // Longer than a Redis that answers takes, even on a busy machine.
    given.put(StoreSetting.REDIS_TIMEOUT, "PT1M");
    given.put(StoreSetting.DATA, folder.toString());
    given.put(ServerSetting.DRAIN, "PT0S");
    given.put(GatewaySetting.PORT, "0");
    given.put(GatewaySetting.ROUTES, "/** = http://127.0.0.1:9");
    node = Node.start(Capabilities.read(given, Map.of(), Optional.empty()));
    http = new Http(node.address());
  }

  @AfterEach
  void stop() {
    node.close();
    redis.close();
    log.close();
  }

  private void changePassword() throws IOException {
    assertThat(redis.ask("CONFIG SET requirepass secret")).isEqualTo("+OK");
    assertThat(redis.ask("AUTH secret\r\nCLIENT KILL TYPE normal SKIPME yes")).isEqualTo("+OK");
  }

  @Test
  void answersWithTheReasonAndNeverThatALimitIsExceeded() throws IOException {
    startNode();
    rule("'name':'c','pathPattern':'/**','allowedRequests':5,'windowSeconds':60");
    http.put("/api/v1/buckets/b", "{\"capacity\":10,\"refillRate\":1}").ok();
    http.put("/api/v1/concurrency/l", "{\"maxConcurrent\":1,\"leaseTtl\":\"PT10M\"}").ok();
    changePassword();
    Waiting.until(
        "the node to give up Redis",
        () -> http.post(CHECK, "{\"rule\":\"c\",\"key\":\"k\"}").text().contains("closed"));
    Waiting.until(
        "the node to give up its leases",
        () -> http.post("/api/v1/concurrency/l/leases", "").text().contains("\"none\""));

    Http.Answer checked = http.post(CHECK, "{\"rule\":\"c\",\"key\":\"k\"}");
    assertAway(checked);
    assertThat(checked.text()).contains("\"mode\":\"closed\"", "\\\"c\\\" is closed");
    Http.Answer taken = http.post("/api/v1/buckets/b/acquire", "{\"tokens\":1}");
    assertAway(taken);
    assertThat(taken.textAt("code")).isEqualTo("STORE_UNAVAILABLE");
    assertAway(http.post("/api/v1/concurrency/l/leases", ""));
    Http proxy = http.with("X-Forwarded-Method", "GET", "X-Forwarded-Uri", "/a");
    assertAway(proxy.get("/api/v1/authorize"));
    assertThat(proxy.get("/api/v1/authorize?refuse=403").status()).isEqualTo(403);
    assertAway(new Http(node.address("gateway").orElseThrow()).get("/a"));
  }

  private static void assertAway(Http.Answer answer) {
    answer.problem(503, "store-unavailable");
    assertThat(answer.header("Retry-After")).isPresent();
    assertThat(answer.header("RateLimit")).isEmpty();
  }

  @Test
  void isNotReadyIfItCanDecideNothingAndWarnsIfItCan() throws IOException {
    changePassword();
    // Not before: a node whose connection was cut would name that as the cause.
    startNode();
    // On a busy machine the first attempt to connect may fail for another reason.
    Waiting.until("the node to say so", () -> http.get(READY).text().contains("NOAUTH"));
    Http.Answer away = http.get(READY);
    assertThat(away.status()).isEqualTo(503);
    assertThat(away.textAt("reason")).contains("Redis does not answer", "NOAUTH");

    rule("'name':'o','allowedRequests':5,'windowSeconds':60,'onStoreFailure':'open'");
    assertThat(http.get(READY).ok().text())
        .contains("\"UP\"", "warnings", "Redis does not answer", "NOAUTH");

    redis.kill();
    Waiting.until("the new cause", () -> !http.get(READY).text().contains("NOAUTH"));
    redis.start();
    Waiting.until("Redis", () -> !http.get(READY).text().contains("warnings"));
    assertThat(linesAboutRedis("WARN .*")).hasSize(1);
    assertThat(linesAboutRedis("INFO .* is back.*")).hasSize(1);
    assertThat(http.get("/metrics").text())
        .contains("rate_limiter_limit_store_errors_total{store=\"surrealdb\"} 0.0");
  }

  private List<String> linesAboutRedis(String pattern) {
    return log.lines().stream()
        .filter(line -> line.contains("Redis") && Pattern.matches(pattern, line))
        .filter(line -> line.contains("counts limits"))
        .toList();
  }

  private void rule(String members) {
    Http.Answer made = http.post("/api/admin/rules", ("{" + members + "}").replace('\'', '"'));
    assertThat(made.status()).as(made.text()).isEqualTo(201);
  }
}
