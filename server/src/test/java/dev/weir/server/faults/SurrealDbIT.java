package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.store.tck.internal.SurrealServer;
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

/** Nodes that count in SurrealDB. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class SurrealDbIT {
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  @TempDir private Path folder;
  private SurrealServer surrealdb;

  @BeforeEach
  void start() {
    assumeTrue(SurrealServer.isAvailable(), SurrealServer.MISSING);
    surrealdb = started(SurrealServer.start(SurrealServer.Storage.ROCKSDB));
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

  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("WEIR_LIMITS_STORE", "surrealdb");
    settings.put("WEIR_SURREALDB_URL", surrealdb.uri());
    settings.put("WEIR_SURREALDB_NAMESPACE", SurrealServer.NAMESPACE);
    settings.put("WEIR_SURREALDB_DATABASE", SurrealServer.DATABASE);
    settings.put("WEIR_SURREALDB_USER", SurrealServer.USER);
    settings.put("WEIR_SURREALDB_PASSWORD", SurrealServer.PASSWORD);
    // Long enough for a busy machine.
    settings.put("WEIR_SURREALDB_TIMEOUT", "PT10S");
    return settings;
  }

  private NodeProcess nodeWithoutDatabase() throws Exception {
    Map<String, String> settings = settings();
    settings.put("WEIR_SLOTS_STORE", "memory");
    return started(NodeProcess.start(folder.resolve("node.log"), settings));
  }

  private static HttpResponse<String> take(Api api, int tokens) throws Exception {
    return api.post("/api/v1/buckets/b/acquire", "{\"tokens\":" + tokens + "}");
  }

  private static HttpResponse<String> rule(Api api, String members) throws Exception {
    return api.post("/api/admin/rules", ("{" + members + "}").replace('\'', '"'));
  }

  @Test
  void countsBucketsAndLeasesAndSurvivesItsStore() throws Exception {
    Api api = started(new Api(nodeWithoutDatabase().awaitReady().address()));
    assertThat(api.put("/api/v1/buckets/b", "{\"capacity\":10,\"refillRate\":0.001}").statusCode())
        .isEqualTo(201);
    assertThat(take(api, 6).statusCode()).isEqualTo(200);
    HttpResponse<String> refused = take(api, 5);
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).contains("INSUFFICIENT_TOKENS", "\"available\":4");
    assertThat(
            api.put(
                    "/api/v1/concurrency/c", "{\"maxConcurrent\":1,\"leaseTtl\":\"PT10M\"}")
                .statusCode())
        .isEqualTo(201);
    assertThat(api.post("/api/v1/concurrency/c/leases", "").statusCode()).isEqualTo(201);
    assertThat(api.post("/api/v1/concurrency/c/leases", "").body())
        .contains("CONCURRENCY_LIMIT_REACHED");

    surrealdb.kill();
    // The first answers may be lost; then nothing is sent.
    Waiting.until("a refusal without the store", () -> take(api, 1).body().contains("closed"));
    assertThat(api.post("/api/v1/concurrency/c/leases", "").statusCode()).isEqualTo(503);

    surrealdb.restart();
    Waiting.until("an answer of the store", () -> take(api, 10).body().contains("\"store\""));
    assertThat(api.get("/api/v1/concurrency/c").body()).contains("\"currentCount\":1");
    HttpResponse<String> last = take(api, 4);
    assertThat(last.statusCode()).as("nothing was lost: " + last.body()).isEqualTo(200);
    assertThat(take(api, 1).statusCode()).isEqualTo(429);
  }

  @Test
  void rejectsRulesThatItDoesNotCount() throws Exception {
    Api api = started(new Api(nodeWithoutDatabase().awaitReady().address()));
    HttpResponse<String> refused =
        rule(api, "'name':'w','algorithm':'FIXED_WINDOW','allowedRequests':3,'windowSeconds':60");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("algorithm", "not counted by the store");
    assertThat(
            rule(api, "'name':'t','algorithm':'TOKEN_BUCKET','capacity':2,'refillRate':0.001")
                .statusCode())
        .isEqualTo(201);
    assertThat(rule(api, "'name':'c','algorithm':'CONCURRENCY','maxConcurrent':2").statusCode())
        .isEqualTo(201);
    String check = "{\"rule\":\"t\",\"key\":\"user:1\",\"requestId\":\"%s\"}";
    assertThat(api.post("/api/v1/check", check.formatted("a")).statusCode()).isEqualTo(200);
    assertThat(api.post("/api/v1/check", check.formatted("a")).statusCode()).isEqualTo(200);
    assertThat(api.post("/api/v1/check", check.formatted("b")).statusCode()).isEqualTo(200);
    assertThat(api.post("/api/v1/check", check.formatted("c")).statusCode()).isEqualTo(429);
  }

  @Test
  void doesNotStartWithRulesThatItDoesNotCount() throws Exception {
    Database database = started(Database.start(folder.resolve("data")));
    Map<String, String> elsewhere = new HashMap<>(database.environment());
    elsewhere.put("WEIR_LIMITS_STORE", "memory");
    try (NodeProcess node = NodeProcess.start(folder.resolve("memory.log"), elsewhere);
        Api api = new Api(node.awaitReady().address())) {
      String window = "'algorithm':'SLIDING_WINDOW','allowedRequests':3,'windowSeconds':60";
      assertThat(rule(api, "'name':'old window'," + window).statusCode()).isEqualTo(201);
    }
    Map<String, String> settings = settings();
    settings.putAll(database.environment());
    try (NodeProcess node = NodeProcess.start(folder.resolve("surrealdb.log"), settings)) {
      assertThat(node.awaitEnd()).isNotZero();
      assertThat(node.log()).contains("weir.limits.store", "old window");
    }
  }

  @Test
  void startsWhileItsStoreIsDown() throws Exception {
    surrealdb.kill();
    NodeProcess node = nodeWithoutDatabase().awaitReady();
    Api api = started(new Api(node.address()));
    assertThat(node.log()).contains("SurrealDB is not available yet");
    assertThat(rule(api, "'name':'c','algorithm':'CONCURRENCY','maxConcurrent':2").statusCode())
        .isEqualTo(201);
    assertThat(api.post("/api/v1/check", "{\"rule\":\"c\",\"key\":\"k\"}").statusCode())
        .isEqualTo(429);
    surrealdb.restart();
    Waiting.until(
        "a lease",
        () -> api.post("/api/v1/check", "{\"rule\":\"c\",\"key\":\"k\"}").statusCode() == 200);
  }
}
