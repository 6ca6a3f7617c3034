package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node says while its Redis is gone, and after it came back, to a caller now and then. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class RedisGoneIT {
  /** What was started, last first: to be stopped even if the next did not start. */
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  @TempDir private Path folder;
  private RedisProcess redis;
  private Api api;

  @BeforeEach
  void start() throws IOException {
    redis = started(new RedisProcess(Ports.free(), folder.resolve("redis.log")));
    Database database = started(Database.start(folder.resolve("data")));
    Map<String, String> settings = new HashMap<>(database.environment());
    settings.put("WEIR_LIMITS_STORE", "redis");
    settings.put("WEIR_REDIS_URI", redis.address());
    NodeProcess node = started(NodeProcess.start(folder.resolve("node.log"), settings));
    api = started(new Api(node.awaitReady().address()));
  }

  @AfterEach
  void stop() throws Exception {
    while (!started.isEmpty()) {
      started.pop().close();
    }
  }

  private <T extends AutoCloseable> T started(T part) {
    started.push(part);
    return part;
  }

  @Test
  void saysOfLeasesThatTheirStoreIsGoneAndNotThatTheyEnded() throws Exception {
    define("PT10M");
    String lease = acquired();
    rule("'name':'held','algorithm':'CONCURRENCY','maxConcurrent':2");
    rule("'name':'free','algorithm':'CONCURRENCY','maxConcurrent':2,'onStoreFailure':'open'");
    redis.kill();

    HttpResponse<String> renewed = api.put("/api/v1/concurrency/c/leases/" + lease, "");
    assertThat(renewed.statusCode()).as(renewed.body()).isEqualTo(503);
    assertThat(renewed.headers().firstValue("Retry-After")).isPresent();
    assertThat(renewed.body())
        .contains("urn:weir:problem:store-unavailable", "lasts at least until its expiresAt");
    HttpResponse<String> acquired = api.post("/api/v1/concurrency/c/leases", "");
    assertThat(acquired.statusCode()).isEqualTo(503);
    assertThat(acquired.body()).contains("You hold no lease").doesNotContain("taken");
    assertThat(api.delete("/api/v1/concurrency/c/leases/" + lease).statusCode()).isEqualTo(503);

    HttpResponse<String> held = check("held");
    assertThat(held.statusCode()).isEqualTo(429);
    assertThat(held.body()).contains("\"mode\":\"closed\"");
    HttpResponse<String> free = check("free");
    assertThat(free.statusCode()).isEqualTo(200);
    assertThat(free.body()).contains("\"mode\":\"open\"");
    assertThat(
            api.post("/api/v1/refund", json("{'rule':'held','key':'k','leaseId':'l'}"))
                .statusCode())
        .isEqualTo(503);
  }

  private void define(String ttl) throws IOException, InterruptedException {
    String json = json("{'maxConcurrent':2,'leaseTtl':'%s'}".formatted(ttl));
    assertThat(api.put("/api/v1/concurrency/c", json).statusCode()).isEqualTo(200);
  }

  /** The id of a new lease. */
  private String acquired() throws IOException, InterruptedException {
    HttpResponse<String> answer = api.post("/api/v1/concurrency/c/leases", "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return answer.body().replaceFirst(".*\"leaseId\":\"([^\"]+)\".*", "$1");
  }

  private HttpResponse<String> check(String rule) throws IOException, InterruptedException {
    return api.post("/api/v1/check", json("{'rule':'%s','key':'k'}".formatted(rule)));
  }

  private void rule(String fields) throws IOException, InterruptedException {
    HttpResponse<String> answer = api.post("/api/admin/rules", json("{" + fields + "}"));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }
}
