package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** What a node says while its Redis is gone, and after it came back, to a caller now and then. */
@EnabledIf("dev.weir.server.faults.RedisProcess#isInstalled")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class RedisGoneIT {
  private static final Pattern ID = Pattern.compile("\"id\":\"?(\\d+)");

  @AutoClose private static final StartedParts STARTED = new StartedParts();

  @TempDir private static Path folder;
  private static RedisProcess redis;
  private static NodeProcess node;
  private static Relay relay;
  private static Map<String, String> settings;
  private static Api api;

  /** What names of this test end with, so that it needs no Redis and no node of its own. */
  private final String own = UUID.randomUUID().toString().substring(0, 8);

  @BeforeAll
  static void start() throws IOException {
    redis = STARTED.add(new RedisProcess(Ports.free(), folder.resolve("redis.log")));
    relay = STARTED.add(new Relay(redis.port()));
    Database database = STARTED.add(Database.start(folder.resolve("data")));
    settings = new HashMap<>(database.environment());
    settings.put("WEIR_LIMITS_STORE", "redis");
    settings.put("WEIR_REDIS_URI", "redis://127.0.0.1:" + relay.port());
    settings.put("WEIR_REDIS_TIMEOUT", "PT1M");
    node = STARTED.add(NodeProcess.start(folder.resolve("node.log"), settings));
    api = STARTED.add(new Api(node.awaitReady().address()));
  }

  /** Redis is used again, whatever happened to it before. */
  @BeforeEach
  void begin() throws Exception {
    relay.mend();
    if (!redis.isRunning()) {
      redis.start();
    }
    rule("'name':'begin','allowedRequests':1000000,'windowSeconds':1");
    assertThat(grantedUntilTheStoreDecides("begin")).isNotNegative();
  }

  @Test
  void saysOfLeasesThatTheirStoreIsGoneAndNotThatTheyEnded() throws Exception {
    define("PT10M");
    String lease = acquired();
    rule("'name':'held','algorithm':'CONCURRENCY','maxConcurrent':2");
    rule("'name':'free','algorithm':'CONCURRENCY','maxConcurrent':2,'onStoreFailure':'open'");
    redis.kill();

    HttpResponse<String> renewed = api.put("/api/v1/concurrency/" + own + "/leases/" + lease, "");
    assertThat(renewed.statusCode()).as(renewed.body()).isEqualTo(503);
    assertThat(renewed.headers().firstValue("Retry-After")).isPresent();
    assertThat(renewed.body())
        .contains("urn:weir:problem:store-unavailable", "lasts at least until its expiresAt");
    HttpResponse<String> acquired = api.post("/api/v1/concurrency/" + own + "/leases", "");
    assertThat(acquired.statusCode()).isEqualTo(503);
    assertThat(acquired.body()).contains("You hold no lease").doesNotContain("taken");
    assertThat(api.delete("/api/v1/concurrency/" + own + "/leases/" + lease).statusCode())
        .isEqualTo(503);
    // Only what was sent may have been done, and after a few failures nothing is sent.
    Waiting.until(
        "an answer to what was not sent",
        () ->
            api.put("/api/v1/concurrency/" + own + "/leases/" + lease, "")
                .body()
                .contains("\"outcome\":\"none\""));

    HttpResponse<String> state = api.get("/api/v1/concurrency/" + own);
    assertThat(state.statusCode()).isEqualTo(503);
    assertThat(state.body()).contains("The store redis does not answer");

    HttpResponse<String> held = check("held");
    assertThat(held.statusCode()).isEqualTo(503);
    assertThat(held.body()).contains("\"mode\":\"closed\"");
    HttpResponse<String> free = check("free");
    assertThat(free.statusCode()).isEqualTo(200);
    assertThat(free.body()).contains("\"mode\":\"open\"");
    assertThat(
            api.post(
                    "/api/v1/refund",
                    json("{'rule':'%s','key':'k','leaseId':'l'}".formatted(own("held"))))
                .statusCode())
        .isEqualTo(503);
  }

  /** Definitions are in the database, which answers. */
  @Test
  void saysOfDefinitionsThatTheyAreStoredAndOnlyTheirStateIsUnknown() throws Exception {
    String bucket = json("{'capacity':7,'refillRate':1}");
    assertThat(api.put("/api/v1/buckets/" + own("old"), bucket).statusCode()).isEqualTo(200);
    redis.kill();
    for (String resource : List.of("buckets/new", "buckets/old", "concurrency/new")) {
      String body =
          resource.startsWith("b") ? bucket : json("{'maxConcurrent':2,'leaseTtl':'PT1M'}");
      HttpResponse<String> defined = api.put("/api/v1/" + own(resource), body);
      assertThat(defined.statusCode()).as(defined.body()).isEqualTo(503);
      assertThat(defined.body())
          .contains("urn:weir:problem:store-unavailable", "\"outcome\":\"done\"", "is defined")
          .doesNotContain("repeat");
    }
    HttpResponse<String> removed = api.delete("/api/v1/buckets/" + own("old"));
    assertThat(removed.statusCode()).as(removed.body()).isEqualTo(503);
    assertThat(removed.body()).contains("\"outcome\":\"unknown\"", "is removed");
    assertThat(api.get("/api/v1/buckets/" + own("old")).statusCode()).isEqualTo(404);
    redis.start();
    Waiting.until(
        "Redis to be used again",
        () -> api.get("/api/v1/buckets/" + own("new")).statusCode() == 200);
    assertThat(api.get("/api/v1/buckets/" + own("new")).body()).contains("\"capacity\":7");
  }

  @Test
  void grantsNoMoreThanTheLimitAfterRedisCameBackEmptyHoweverFewAsk() throws Exception {
    rule("'name':'closed','allowedRequests':5,'windowSeconds':86400");
    define("PT1H");
    acquired();
    acquired();
    assertThat(check("closed").statusCode()).isEqualTo(200);
    redis.kill();
    assertNotGranted("closed");
    redis.start();
    // Nothing of the four that are left, because it is not known that they are.
    assertThat(grantedUntilTheStoreDecides("closed")).isZero();
    assertThat(check("closed").statusCode()).isEqualTo(429);
    HttpResponse<String> lease = api.post("/api/v1/concurrency/" + own + "/leases", "");
    assertThat(lease.statusCode()).as(lease.body()).isEqualTo(429);

    // What is made afterwards has lost nothing.
    rule("'name':'later','allowedRequests':2,'windowSeconds':86400");
    assertThat(check("later").statusCode()).isEqualTo(200);
    assertThat(check("later").statusCode()).isEqualTo(200);
    assertThat(check("later").statusCode()).isEqualTo(429);
    assertThat(
            api.put(
                    "/api/v1/concurrency/" + own("later"),
                    json("{'maxConcurrent':1,'leaseTtl':'PT1H'}"))
                .statusCode())
        .isEqualTo(200);
    assertThat(api.post("/api/v1/concurrency/" + own("later") + "/leases", "").statusCode())
        .isEqualTo(201);

    // Nor is it forgotten by a node that starts now, or that starts after both were gone.
    node.kill();
    redis.kill();
    redis.start();
    node.restart();
    node.awaitReady();
    assertThat(grantedUntilTheStoreDecides("closed")).isZero();
    assertThat(grantedUntilTheStoreDecides("later")).isZero();
  }

  @Test
  void ruleCreatedAfterALossIsNotRefusedEvenWithoutRequestsInBetween() throws Exception {
    rule("'name':'before','allowedRequests':5,'windowSeconds':86400");
    rule("'name':'held','algorithm':'CONCURRENCY','maxConcurrent':2");
    assertThat(check("before").statusCode()).isEqualTo(200);
    assertThat(peek("before")).isEqualTo(200);
    assertThat(peek("held")).isEqualTo(200);
    assertThat(redis.ask("FLUSHALL")).isEqualTo("+OK");
    Waiting.until("the loss to be noticed", () -> redis.ask("EXISTS weir:m").equals(":1"));
    rule("'name':'after','allowedRequests':1,'windowSeconds':86400");
    assertThat(check("after").statusCode()).isEqualTo(200);
    for (String rule : List.of("before", "held")) {
      assertThat(peek(rule)).as(rule).isEqualTo(429);
      assertThat(check(rule).statusCode()).as(rule).isEqualTo(429);
    }
  }

  @Test
  void leasesGrantedBeforeTheirTimeToLiveWasShortenedCountAfterALoss() throws Exception {
    String concurrency = "'algorithm':'CONCURRENCY','maxConcurrent':2,'leaseTtl':'%s'";
    String held = "'name':'held'," + concurrency;
    String id = rule(held.formatted("PT1H"));
    rule("'name':'short'," + concurrency.formatted("PT1S"));
    define("PT1H");
    for (int i = 0; i < 2; i++) {
      assertThat(check("held").statusCode()).isEqualTo(200);
      acquired();
    }
    HttpResponse<String> changed =
        api.put("/api/admin/rules/" + id, json("{" + ownNames(held.formatted("PT1S")) + "}"));
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    define("PT1S");
    assertThat(redis.ask("FLUSHALL")).isEqualTo("+OK");
    Waiting.until("the loss to be noticed", () -> redis.ask("EXISTS weir:m").equals(":1"));
    // The shorter time has passed for everything that was lost.
    Waiting.until("a second after the loss", () -> check("short").statusCode() == 200);

    assertThat(check("held").statusCode()).isEqualTo(429);
    assertThat(peek("held")).isEqualTo(429);
    HttpResponse<String> lease = api.post("/api/v1/concurrency/" + own + "/leases", "");
    assertThat(lease.statusCode()).as(lease.body()).isEqualTo(429);
    assertThat(api.get("/api/v1/concurrency/" + own).body()).contains("\"currentCount\":2");

    // A node that starts now knows it from the database.
    node.kill();
    node.restart();
    node.awaitReady();
    assertThat(check("held").statusCode()).isEqualTo(429);
    assertThat(api.post("/api/v1/concurrency/" + own + "/leases", "").statusCode()).isEqualTo(429);
  }

  @Test
  void refusesNothingMoreAfterConnectionsWereCut() throws Exception {
    for (String failure : List.of("closed", "fallback")) {
      rule(
          "'name':'%s','allowedRequests':10,'windowSeconds':86400,'onStoreFailure':'%s'"
              .formatted(failure, failure));
    }
    for (String rule : List.of("closed", "fallback")) {
      assertThat(check(rule).statusCode()).isEqualTo(200);
      redis.hangUp();
      int granted = 1 + grantedUntilTheStoreDecides(rule);
      while (check(rule).statusCode() == 200) {
        granted++;
      }
      assertThat(granted).as(rule).isEqualTo(10);
    }
  }

  @Test
  void nodeThatIsCutOffGrantsNothingBesideTheOthers() throws Exception {
    Map<String, String> direct = new HashMap<>(settings);
    direct.put("WEIR_REDIS_URI", redis.address());
    try (NodeProcess near = NodeProcess.start(folder.resolve("near.log"), direct);
        Api other = new Api(near.awaitReady().address())) {
      for (String failure : List.of("closed", "fallback")) {
        rule(
            "'name':'%s','allowedRequests':10,'windowSeconds':86400,'onStoreFailure':'%s'"
                .formatted(failure, failure));
        String check = json("{'rule':'%s','key':'k'}".formatted(own(failure)));
        Waiting.until(
            "the rule on the other node",
            () -> other.post("/api/v1/check", check).statusCode() == 200);
        assertThat(check(failure).statusCode()).isEqualTo(200);
        relay.cut();
        // More often than a node needs to give up.
        for (int i = 0; i < 10; i++) {
          assertNotGranted(failure);
        }
        assertThat(other.post("/api/v1/check", check).statusCode()).isEqualTo(200);
        relay.mend();
        int granted = 3 + grantedUntilTheStoreDecides(failure);
        while (check(failure).statusCode() == 200) {
          granted++;
        }
        assertThat(granted).as(failure).isEqualTo(10);
        assertThat(other.post("/api/v1/check", check).statusCode()).isEqualTo(429);
      }
    }
  }

  /** Asserts that a check is refused without its store, or that its answer was lost. */
  private void assertNotGranted(String rule) throws IOException, InterruptedException {
    HttpResponse<String> answer = check(rule);
    assertThat(answer.statusCode() + " " + answer.body())
        .containsPattern("^503 .*(\"mode\":\"closed\"|\"outcome\":\"unknown\")");
  }

  /** How many pass until one is decided by the store. */
  private int grantedUntilTheStoreDecides(String rule) {
    AtomicInteger granted = new AtomicInteger();
    Waiting.until(
        "the store",
        () -> {
          HttpResponse<String> answer = check(rule);
          granted.addAndGet(answer.statusCode() == 200 ? 1 : 0);
          return answer.body().contains("\"mode\":\"store\"");
        });
    return granted.get();
  }

  private void define(String ttl) throws IOException, InterruptedException {
    String json = json("{'maxConcurrent':2,'leaseTtl':'%s'}".formatted(ttl));
    assertThat(api.put("/api/v1/concurrency/" + own, json).statusCode()).isEqualTo(200);
  }

  /** The id of a new lease. */
  private String acquired() throws IOException, InterruptedException {
    HttpResponse<String> answer = api.post("/api/v1/concurrency/" + own + "/leases", "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return answer.body().replaceFirst(".*\"leaseId\":\"([^\"]+)\".*", "$1");
  }

  private HttpResponse<String> check(String rule) throws IOException, InterruptedException {
    return api.post("/api/v1/check", json("{'rule':'%s','key':'k'}".formatted(own(rule))));
  }

  private int peek(String rule) throws IOException, InterruptedException {
    String json = json("{'rule':'%s','key':'k','peek':true}".formatted(own(rule)));
    return api.post("/api/v1/check", json).statusCode();
  }

  /** Makes a rule and returns its id. */
  private String rule(String fields) throws IOException, InterruptedException {
    HttpResponse<String> answer = api.post("/api/admin/rules", json("{" + ownNames(fields) + "}"));
    Matcher id = ID.matcher(answer.body());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    assertThat(id.find()).as(answer.body()).isTrue();
    return id.group(1);
  }

  private String ownNames(String fields) {
    return fields.replaceFirst("'name':'([^']+)'", "'name':'$1-" + own + "'");
  }

  private String own(String name) {
    return name + "-" + own;
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }
}
