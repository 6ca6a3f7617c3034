package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.limits.node.LimitSetting;
import dev.weir.store.tck.internal.OracleStandIn;
import dev.weir.store.tck.internal.SurrealServer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that counts in SurrealDB and has its rules in a database, for which H2 stands in. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class SurrealDbNodeIT {
  private static final String RULES = "/api/admin/rules";
  private static final String CHECK = "/api/v1/check";

  @TempDir private static Path folder;
  private static SurrealServer surrealdb;
  private static Node node;
  private static Http http;

  @BeforeAll
  static void start() {
    assumeTrue(SurrealServer.isAvailable(), SurrealServer.MISSING);
    surrealdb = SurrealServer.start(SurrealServer.Storage.ROCKSDB);
    node = Node.start(settings(OracleStandIn.create(), Map.of()));
    http = new Http(node.address());
  }

  @AfterAll
  static void stop() {
    if (node != null) {
      node.close();
    }
    if (surrealdb != null) {
      surrealdb.close();
    }
  }

  private static Settings settings(String database, Map<Setting, String> more) {
    Map<Setting, String> given = new HashMap<>();
    given.put(ServerSetting.PORT, "0");
    given.put(StoreSetting.DB_URL, database);
    given.put(StoreSetting.DB_WAIT, "PT1M");
    given.put(StoreSetting.DATA, folder.toString());
    given.put(ServerSetting.DRAIN, "PT0S");
    given.put(LimitSetting.STORE, "surrealdb");
    given.put(StoreSetting.SURREALDB_URL, surrealdb.uri());
    given.put(StoreSetting.SURREALDB_NAMESPACE, SurrealServer.NAMESPACE);
    given.put(StoreSetting.SURREALDB_DATABASE, SurrealServer.DATABASE);
    given.put(StoreSetting.SURREALDB_USER, SurrealServer.USER);
    given.put(StoreSetting.SURREALDB_PASSWORD, SurrealServer.PASSWORD);
    // Long enough for a busy machine.
    given.put(StoreSetting.SURREALDB_TIMEOUT, "PT1M");
    given.putAll(more);
    return Capabilities.read(given, Map.of(), Optional.empty());
  }

  private static Http.Answer take(String bucket, int tokens) {
    return http.post("/api/v1/buckets/" + bucket + "/acquire", "{\"tokens\":" + tokens + "}");
  }

  private static Http.Answer rule(Http api, String members) {
    return rule(api, RULES, members);
  }

  private static Http.Answer rule(Http api, String path, String members) {
    return api.post(path, ("{" + members + "}").replace('\'', '"'));
  }

  private static Http.Answer check(String rule, String key, String requestId) {
    return http.post(
        CHECK,
        "{\"rule\":\"%s\",\"key\":\"%s\",\"requestId\":\"%s\"}".formatted(rule, key, requestId));
  }

  private static void await(BooleanSupplier condition) {
    Waiting.until("a state of the store", condition::getAsBoolean);
  }

  @Test
  void countsRulesByTokenBucketsAndLeases() {
    assertThat(
            rule(http, "'name':'t','algorithm':'TOKEN_BUCKET','capacity':2,'refillRate':0.001")
                .status())
        .isEqualTo(201);
    assertThat(check("t", "user:1", "a").status()).isEqualTo(200);
    assertThat(check("t", "user:1", "a").status()).as("repeated").isEqualTo(200);
    assertThat(check("t", "user:1", "b").status()).isEqualTo(200);
    assertThat(check("t", "user:1", "c").status()).isEqualTo(429);
    assertThat(check("t", "user:2", "d").status()).isEqualTo(200);

    assertThat(rule(http, "'name':'c','algorithm':'CONCURRENCY','maxConcurrent':1").status())
        .isEqualTo(201);
    assertThat(check("c", "user:1", "e").status()).isEqualTo(200);
    assertThat(check("c", "user:1", "f").status()).isEqualTo(429);
  }

  @Test
  void rejectsRulesThatItDoesNotCount() {
    for (String algorithm : new String[] {"FIXED_WINDOW", "SLIDING_WINDOW"}) {
      for (String path : new String[] {RULES, RULES + "/validate"}) {
        String members =
            "'name':'w','algorithm':'%s','allowedRequests':3,'windowSeconds':60"
                .formatted(algorithm);
        Http.Answer refused = rule(http, path, members);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text()).contains("algorithm", "not counted by the store");
      }
    }
  }

  @Test
  void doesNotStartWithRulesThatItDoesNotCount() {
    String database = OracleStandIn.create();
    try (Node other = Node.start(settings(database, Map.of(LimitSetting.STORE, "memory")))) {
      String window = "'algorithm':'SLIDING_WINDOW','allowedRequests':3,'windowSeconds':60";
      assertThat(rule(new Http(other.address()), "'name':'old window'," + window).status())
          .isEqualTo(201);
    }
    assertThatThrownBy(() -> Node.start(settings(database, trusting())))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContainingAll("weir.limits.store", "old window");
  }

  /** Without the check, which the node of all tests makes. */
  private static Map<Setting, String> trusting() {
    return Map.of(StoreSetting.SURREALDB_ACCEPT_ANOMALIES, "true");
  }

  @Test
  void refusesWhileItsStoreIsDownAndContinuesWhereItWas() {
    http.put("/api/v1/buckets/b", "{\"capacity\":10,\"refillRate\":0.001}").ok();
    assertThat(take("b", 6).status()).isEqualTo(200);
    Http.Answer refused = take("b", 5);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.text()).contains("INSUFFICIENT_TOKENS", "\"available\":4");
    http.put("/api/v1/concurrency/c", "{\"maxConcurrent\":1,\"leaseTtl\":\"PT10M\"}").ok();
    String leases = "/api/v1/concurrency/c/leases";
    assertThat(http.post(leases, "").status()).isEqualTo(201);
    assertThat(http.post(leases, "").text()).contains("CONCURRENCY_LIMIT_REACHED");

    surrealdb.kill();
    await(() -> take("b", 1).text().contains("closed"));
    take("b", 1).problem(503, "store-unavailable");
    await(() -> http.get("/health/ready").ok().text().contains("SurrealDB does not answer"));
    assertThat(http.post(leases, "").status()).isEqualTo(503);
    // A node that starts meanwhile serves, and counts as soon as SurrealDB does.
    try (Node late = Node.start(settings(OracleStandIn.create(), trusting()))) {
      Http other = new Http(late.address());
      assertThat(rule(other, "'name':'l','algorithm':'CONCURRENCY','maxConcurrent':2").status())
          .isEqualTo(201);
      String request = "{\"rule\":\"l\",\"key\":\"k\"}";
      assertThat(other.post(CHECK, request).status()).isEqualTo(503);
      surrealdb.restart();
      await(() -> other.post(CHECK, request).status() == 200);
    }

    await(() -> take("b", 10).text().contains("\"store\""));
    assertThat(http.get("/api/v1/concurrency/c").ok().intAt("currentCount")).isEqualTo(1);
    Http.Answer last = take("b", 4);
    assertThat(last.status()).as("nothing was lost: " + last.text()).isEqualTo(200);
    assertThat(take("b", 1).status()).isEqualTo(429);
  }
}
