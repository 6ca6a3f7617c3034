package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.PreparedDatabase;
import dev.weir.server.http.Http;
import dev.weir.server.limits.node.LimitSetting;
import dev.weir.store.tck.internal.LossyRelay;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a caller is told when the database's answer is lost, against what the database did. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class LostAnswerIT {
  private static final String SLOTS = "/api/v1/slots";
  private static final String WRITE = "insert into slot ";

  /** Longer than a wait for a connection takes, even on a busy machine. */
  private static final String PATIENT = "PT1M";

  @TempDir private static Path folder;
  private static EmbeddedDatabase database;
  private static Node straight;
  private static Http witness;

  private static LossyRelay relay;
  private static Node node;
  private static Http http;

  private int lostBefore;

  @BeforeAll
  static void start() throws IOException {
    database = PreparedDatabase.start(folder);
    straight = Node.start(settings(database.jdbcUrl(), PATIENT, true));
    witness = new Http(straight.address());
    relay = new LossyRelay(port());
    node = Node.start(settings(through(relay), PATIENT, true));
    http = new Http(node.address());
  }

  @AfterAll
  static void stop() throws IOException {
    node.close();
    relay.close();
    straight.close();
    database.close();
  }

  private static int port() {
    return URI.create(database.jdbcUrl().substring("jdbc:".length())).getPort();
  }

  private static String through(LossyRelay relay) {
    return database.jdbcUrl().replace(":" + port() + "/", ":" + relay.port() + "/");
  }

  @BeforeEach
  void count() {
    lostBefore = relay.lost();
  }

  private int lost() {
    return relay.lost() - lostBefore;
  }

  @Test
  void slotOfALostAnswerIsFoundByTheSameId() {
    relay.loseAnswerTo(WRITE);

    Http.Answer lost = http.post(SLOTS, "{\"eventId\":\"one\"}").problem(503, "store-unavailable");

    assertThat(lost()).isOne();
    assertThat(lost.textAt("outcome")).isEqualTo("unknown");
    assertThat(lost.textAt("detail")).contains("unknown", "the same id");
    String given = witness.get(SLOTS + "/one").ok().textAt("scheduledTime");
    Http.Answer again = http.post(SLOTS, "{\"eventId\":\"one\"}").ok();
    assertThat(again.textAt("scheduledTime")).isEqualTo(given);
    assertThat(again.at("replayed")).isEqualTo(true);
  }

  @Test
  void everyEntryOfABatchIsToldSo() {
    relay.loseAnswerTo(WRITE);
    Http.Answer batch =
        http.post(SLOTS + "/batch", "[{\"eventId\":\"b1\"},{\"eventId\":\"b2\"}]").ok();
    assertThat(batch.textAt("0.outcome")).isEqualTo("unknown");
    assertThat(batch.textAt("1.outcome")).isEqualTo("unknown");

    relay.loseAnswerTo(WRITE);
    Http.Answer lines = http.lines("{\"eventId\":\"l1\"}\n{\"eventId\":\"l2\"}\n");
    assertThat(lines.text().lines())
        .hasSize(2)
        .allMatch(line -> line.contains("\"outcome\":\"unknown\""));

    assertThat(lost()).isEqualTo(2);
    for (String id : new String[] {"b1", "b2", "l1", "l2"}) {
      witness.get(SLOTS + "/" + id).ok();
    }
  }

  @Test
  void grantOfALostAnswerIsFoundByTheSameRequestId() {
    rule("{'name':'one','allowedRequests':1,'windowSeconds':3600}");
    String check = json("{'rule':'one','key':'lost-key','requestId':'r'}");
    relay.loseAnswerTo("lost-key");

    Http.Answer lost = http.post("/api/v1/check", check).problem(503, "store-unavailable");

    assertThat(lost()).isOne();
    assertThat(lost.textAt("outcome")).isEqualTo("unknown");
    assertThat(lost.textAt("detail")).contains("the same requestId");
    assertThat(lost.header("retry-after")).isPresent();
    assertThat(http.post("/api/v1/check", check).ok().at("replayed")).isEqualTo(true);
    http.post("/api/v1/check", json("{'rule':'one','key':'lost-key'}")).refused();
  }

  @Test
  void tokensOfALostAnswerMayBeTaken() {
    // Defined by the other node, so that this one has not sent the key of the count before.
    witness.put("/api/v1/buckets/lost-bucket", json("{'capacity':10,'refillRate':0.001}")).ok();
    // The key of the count, which only the decision contains, and not the look-up of the bucket.
    relay.loseAnswerTo("weir:bucketlost-bucket");

    Http.Answer lost =
        http.post("/api/v1/buckets/lost-bucket/acquire", json("{'tokens':4}"))
            .problem(503, "store-unavailable");

    assertThat(lost()).isOne();
    assertThat(lost.textAt("outcome")).isEqualTo("unknown");
    assertThat(witness.get("/api/v1/buckets/lost-bucket").ok().intAt("currentTokens")).isEqualTo(6);
  }

  /** Envoy and other proxies may let a request pass if they get an error instead of an answer. */
  @Test
  void proxyIsRefusedWhenAnAnswerIsLost() {
    rule("{'name':'proxied','pathPattern':'/lost/**','allowedRequests':5,'windowSeconds':3600}");
    relay.loseAnswerTo("proxied");

    Http.Answer lost =
        http.with("X-Original-Method", "GET", "X-Original-URI", "/lost/1")
            .get("/api/v1/authorize")
            .problem(503, "store-unavailable");

    assertThat(lost()).isOne();
    assertThat(lost.textAt("outcome")).isEqualTo("unknown");
    assertThat(lost.textAt("detail")).contains("unknown").doesNotContain("Nothing was counted");
  }

  private static void rule(String rule) {
    assertThat(http.post("/api/admin/rules", json(rule)).status()).isEqualTo(201);
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  @Test
  void nothingIsDoneWhereTheDatabaseRefusesConnections() throws IOException {
    LossyRelay way = new LossyRelay(port());
    try (Node cutOff = TestNode.impatient(settings(through(way), "PT1S", false))) {
      Http client = new Http(cutOff.address());
      way.close();

      Http.Answer refused =
          client.post(SLOTS, "{\"eventId\":\"none\"}").problem(503, "store-unavailable");

      assertThat(refused.textAt("outcome")).isEqualTo("none");
      assertThat(refused.textAt("detail")).contains("Nothing was done");
      witness.get(SLOTS + "/none").problem(404, "unknown-event");
      assertThat(client.get(SLOTS + "/none").problem(503, "store-unavailable").textAt("outcome"))
          .isEqualTo("none");
    } finally {
      way.close();
    }
  }

  /**
   * Returns the settings of a node.
   *
   * @param migrates false for a node whose wait is too short to update tables on a busy machine
   */
  private static Settings settings(String url, String wait, boolean migrates) {
    return Capabilities.read(
        Map.of(
            ServerSetting.PORT,
            "0",
            StoreSetting.DB_URL,
            url,
            StoreSetting.DB_USER,
            database.user(),
            StoreSetting.DB_PASSWORD,
            database.password(),
            StoreSetting.DB_WAIT,
            wait,
            StoreSetting.DB_MIGRATE,
            Boolean.toString(migrates),
            StoreSetting.DB_POOL_MIN,
            "1",
            LimitSetting.STORE,
            "postgresql",
            ServerSetting.DRAIN,
            "PT0S"),
        Map.of(),
        Optional.empty());
  }
}
