package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Ports;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.limits.node.LimitSetting;
import dev.weir.server.slots.node.SlotSetting;
import dev.weir.server.verify.Verifier;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.tck.internal.CheckedDataSource;
import dev.weir.store.tck.internal.OracleStandIn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes on one Oracle, for which H2 stands in, and no PostgreSQL. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class OracleNodeIT {
  private static final String SLOTS = "/api/v1/slots";
  private static final String URL = OracleStandIn.create();

  @TempDir private static Path folder;
  private static Node one;
  private static Node other;
  private static Http http;
  private static Http elsewhere;

  @BeforeAll
  static void start() {
    one = Node.start(settings(Map.of()));
    other = Node.start(settings(Map.of()));
    http = new Http(one.address());
    elsewhere = new Http(other.address());
  }

  @AfterAll
  static void stop() {
    one.close();
    other.close();
  }

  private static Settings settings(Map<Setting, String> more) {
    Map<Setting, String> given = new HashMap<>();
    given.put(ServerSetting.PORT, "0");
    given.put(StoreSetting.DB_URL, URL);
    given.put(StoreSetting.DB_WAIT, "PT1M");
    given.put(StoreSetting.DATA, folder.toString());
    given.put(ServerSetting.DRAIN, "PT0S");
    given.put(LimitSetting.STORE, "oracle");
    // Longer than the test: what a node learns of the other's changes, it has polled.
    given.put(SlotSetting.CACHE_TTL, "PT1H");
    given.put(ServerSetting.LIMITS_CACHE_TTL, "PT1H");
    given.putAll(more);
    return Capabilities.read(given, Map.of(), Optional.empty());
  }

  private static void configure(Http node, String name, int max) {
    String body =
        "{\"configName\":\"%s\",\"maxPerWindow\":%d,\"windowSize\":\"PT1S\"}".formatted(name, max);
    assertThat(node.post("/admin/rate-limit/config", body).status()).isEqualTo(201);
  }

  private static void await(BooleanSupplier condition) {
    Waiting.until("a change to be polled", condition::getAsBoolean);
  }

  @Test
  void startNoPostgresql() {
    http.get("/health/ready").ok();
    assertThat(folder).isEmptyDirectory();
  }

  /** As if a backup of the version before were restored, with migration switched off. */
  @Test
  void refuseToWorkOnTablesOfTheVersionBefore() throws Exception {
    String url = OracleStandIn.create();
    Map<Setting, String> hasty = Map.of(StoreSetting.DB_URL, url, StoreSetting.DB_WAIT, "PT3S");
    String older = "the tables are older than this version needs: V18.9__fallback_until.sql";
    try (Node node = TestNode.impatient(settings(hasty));
        HikariDataSource pool =
            OraclePool.open(new PoolSettings(url, "", "", 0, 1, Duration.ofMinutes(1)))) {
      Http running = new Http(node.address());
      await(() -> running.get("/health/ready").status() == 200);

      changeVersion(pool, "18.9", "18.97");

      await(() -> running.get("/health/ready").status() == 503);
      await(() -> running.get("/health/ready").textAt("reason").startsWith(older));
      await(() -> running.post(SLOTS, "{\"eventId\":\"lost\"}").status() == 503);
      Map<Setting, String> noMigration =
          Map.of(StoreSetting.DB_URL, url, StoreSetting.DB_MIGRATE, "false");
      assertThatThrownBy(() -> Node.start(settings(noMigration)))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining(older);

      changeVersion(pool, "18.97", "18.9");

      await(() -> running.get("/health/ready").status() == 200);
      await(() -> running.post(SLOTS, "{\"eventId\":\"kept\"}").status() == 200);
    }
  }

  private static void changeVersion(DataSource database, String from, String to)
      throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "update \"weir_migration\" set \"version\" = '%s' where \"version\" = '%s'"
              .formatted(to, from));
    }
  }

  @Test
  void giveTheSameSlotAndKnowWhatBecameOfIt() {
    String body = "{\"eventId\":\"shared\",\"requestedTime\":\"2030-01-01T00:00:00Z\"}";
    Http.Answer given = http.post(SLOTS, body).ok();
    Http.Answer again = elsewhere.post(SLOTS, body).ok();
    assertThat(again.at("replayed")).isEqualTo(true);
    assertThat(again.textAt("scheduledTime")).isEqualTo(given.textAt("scheduledTime"));
    elsewhere.post(SLOTS + "/shared/confirm").ok();
    http.delete(SLOTS + "/shared").problem(409, "state-conflict");
    assertThat(http.get(SLOTS + "/shared").ok().textAt("state")).isEqualTo("confirmed");
  }

  @Test
  void fillWindowsTogetherSoThatTheVerifierFindsNothing(@TempDir Path journals) throws Exception {
    configure(http, "together", 5);
    List<Future<Http.Answer>> answers = new ArrayList<>();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 100; i++) {
        Http node = i % 2 == 0 ? http : elsewhere;
        String body =
            "{\"eventId\":\"t%d\",\"configName\":\"together\",\"requestedTime\":\"2030-01-01T00:00:00Z\"}"
                .formatted(i / 2);
        answers.add(clients.submit(() -> node.post(SLOTS, body)));
      }
    }
    List<String> given = new ArrayList<>();
    for (Future<Http.Answer> answer : answers) {
      given.add(answer.get().ok().text());
    }
    assertThat(
            http.get(SLOTS + "/windows?configName=together&from=2030-01-01T00:00:00Z")
                .ok()
                .listAt("windows"))
        .hasSize(10);
    http.delete(SLOTS + "/t7");
    configure(http, "together", 7);
    try (HikariDataSource pool =
            OraclePool.open(new PoolSettings(URL, "", "", 0, 1, Duration.ofMinutes(1)));
        Connection connection = CheckedDataSource.of(pool).dataSource().getConnection()) {
      Verifier verifier = new Verifier(connection);
      verifier.slots(Long.MIN_VALUE, Verifier.Past.UNKNOWN);
      verifier.answers(Files.write(journals.resolve("answers"), given));
      assertThat(verifier.findings().clean()).isTrue();
    }
  }

  @Test
  void learnOfConfigurationsByPolling() {
    configure(http, "heard", 1);
    String query = SLOTS + "/windows?configName=heard";
    assertThat(elsewhere.get(query).ok().intAt("maxPerWindow")).isEqualTo(1);
    configure(http, "heard", 2);
    await(() -> elsewhere.get(query).ok().intAt("maxPerWindow") == 2);
    assertThat(http.post("/admin/rate-limit/cache/flush").status()).isEqualTo(204);
  }

  @Test
  void keepRulesRoutesAndDefinitions() {
    String rule =
        "{\"name\":\"few\",\"algorithm\":\"FIXED_WINDOW\",\"allowedRequests\":2,\"windowSeconds\":3600}";
    assertThat(http.post("/api/admin/rules", rule).status()).isEqualTo(201);
    String route = "{\"pathPattern\":\"/shop/**\",\"upstream\":\"http://127.0.0.1:9\"}";
    assertThat(http.post("/api/admin/routes", route).status()).isEqualTo(201);
    http.put("/api/v1/concurrency/c", "{\"maxConcurrent\":5,\"leaseTtl\":\"PT1H\"}").ok();

    await(() -> elsewhere.get("/api/admin/rules").ok().text().contains("few"));
    assertThat(elsewhere.get("/api/admin/routes").ok().text()).contains("/shop/**");
    assertThat(elsewhere.get("/api/v1/concurrency/c").ok().intAt("maxConcurrent")).isEqualTo(5);
    assertThat(elsewhere.post("/api/v1/concurrency/c/leases", "").status()).isEqualTo(201);
  }

  /** Asks both nodes at the same time for what there are five of, and returns the granted. */
  private static List<Http.Answer> granted(Function<Integer, String> body, String path, int status)
      throws Exception {
    List<Future<Http.Answer>> answers = new ArrayList<>();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 40; i++) {
        Http node = i % 2 == 0 ? http : elsewhere;
        int caller = i;
        answers.add(clients.submit(() -> node.post(path, body.apply(caller))));
      }
    }
    List<Http.Answer> granted = new ArrayList<>();
    for (Future<Http.Answer> answer : answers) {
      if (answer.get().status() == status) {
        granted.add(answer.get());
      } else {
        assertThat(answer.get().status()).as(answer.get().text()).isEqualTo(429);
      }
    }
    return granted;
  }

  @Test
  void countRulesTogetherInOracle() throws Exception {
    for (String algorithm : List.of("FIXED_WINDOW", "SLIDING_WINDOW")) {
      String rule =
          "{\"name\":\"%1$s\",\"algorithm\":\"%1$s\",\"allowedRequests\":5,\"windowSeconds\":86400}"
              .formatted(algorithm);
      assertThat(http.post("/api/admin/rules", rule).status()).isEqualTo(201);
      String peek = "{\"rule\":\"%s\",\"key\":\"k\",\"peek\":true}".formatted(algorithm);
      await(() -> elsewhere.post("/api/v1/check", peek).status() == 200);

      List<Http.Answer> granted =
          granted(
              caller ->
                  "{\"rule\":\"%s\",\"key\":\"k\",\"requestId\":\"%s%d\"}"
                      .formatted(algorithm, algorithm, caller),
              "/api/v1/check",
              200);

      assertThat(granted).hasSize(5);
      assertThat(granted).allSatisfy(one -> assertThat(one.textAt("mode")).isEqualTo("store"));
    }
    assertThat(http.get("/metrics").text())
        .containsPattern("rate_limiter_limit_batch_size_count\\{store=\"oracle\"\\} [1-9]");
  }

  @Test
  void countBucketsAndLeasesTogetherInOracle() throws Exception {
    String bucket = "/api/v1/buckets/few";
    http.put(bucket, "{\"capacity\":5,\"refillRate\":0.00001}").ok();
    String resource = "/api/v1/concurrency/few";
    http.put(resource, "{\"maxConcurrent\":5,\"leaseTtl\":\"PT1H\"}").ok();

    assertThat(granted(caller -> "{\"tokens\":1}", bucket + "/acquire", 200)).hasSize(5);
    List<Http.Answer> leases = granted(caller -> "", resource + "/leases", 201);
    assertThat(leases).hasSize(5);
    assertThat(elsewhere.get(resource).ok().intAt("currentCount")).isEqualTo(5);

    String lease = resource + "/leases/" + leases.getFirst().textAt("leaseId");
    assertThat(elsewhere.delete(lease).status()).isBetween(200, 204);
    assertThat(http.get(resource).ok().intAt("currentCount")).isEqualTo(4);
  }

  /** There is no Redis: Oracle counts once the window is over in which Redis may have granted. */
  @Test
  void letOracleStandInForRedis() throws IOException {
    Map<Setting, String> withoutRedis =
        Map.of(
            LimitSetting.STORE,
            "redis",
            StoreSetting.REDIS_URI,
            "redis://127.0.0.1:" + Ports.free());
    try (Node node = TestNode.impatient(settings(withoutRedis))) {
      Http alone = new Http(node.address());
      String rule =
          "{\"name\":\"stand-in\",\"algorithm\":\"FIXED_WINDOW\",\"allowedRequests\":1000,"
              + "\"windowSeconds\":1,\"onStoreFailure\":\"fallback\"}";
      assertThat(alone.post("/api/admin/rules", rule).status()).isEqualTo(201);
      String check = "{\"rule\":\"stand-in\",\"key\":\"k\"}";
      await(() -> alone.post("/api/v1/check", check).status() == 200);
      assertThat(alone.post("/api/v1/check", check).text()).contains("\"mode\":\"fallback\"");
    }
  }

  @Test
  void refuseToCountInAnotherDatabase() {
    assertThatThrownBy(() -> Node.start(settings(Map.of(LimitSetting.STORE, "postgresql"))))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("weir.limits.store cannot be postgresql");
  }
}
