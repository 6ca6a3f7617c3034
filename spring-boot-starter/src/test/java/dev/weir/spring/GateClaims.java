package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.LimitNames;
import dev.weir.internal.Micros;
import dev.weir.limits.Queue;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.spring.autoconfigure.Service;
import dev.weir.spring.autoconfigure.Service.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The claims about a limited service, on any web server. */
interface GateClaims {
  String KEY = "X-Api-Key";

  /** So many that the last of them waits for most of an hour. */
  int MANY_PLACES = 100;

  /** The longest that a rule may have. */
  Duration LONGEST_WAIT = Duration.ofSeconds(30);

  Service service();

  /** The rules of the guide, and some that only tests need. */
  static Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>(Service.guideRules());
    properties.put("weir.trusted-proxies", "127.0.0.1");
    rule(properties, 2, "quotes", "/quotes/**");
    rule(properties, 3, "letters", "/letters");
    properties.put("weir.rules[3].mode", "shadow");
    rule(properties, 4, "offers", "/offers");
    properties.put("weir.rules[4].key-by", "ip");
    rule(properties, 5, "archive", "/archive");
    properties.put("weir.rules[5].queue-enabled", "true");
    properties.put("weir.rules[5].max-queue-size", Integer.toString(MANY_PLACES));
    properties.put("weir.rules[5].delay-per-request-ms", Long.toString(LONGEST_WAIT.toMillis()));
    rule(properties, 6, "drafts", "/drafts");
    properties.put("weir.rules[6].methods", "GET");
    return properties;
  }

  /** Stores on a clock that stands still, so that requests are sent at once however slowly. */
  @Configuration(proxyBeanMethods = false)
  class StandingClock {
    private static final long NOW_MICROS = 1_780_315_200_000_000L;

    @Bean
    MemoryLimitStore counts() {
      return new MemoryLimitStore(() -> Micros.instant(NOW_MICROS), 10_000);
    }

    @Bean
    MemoryLeaseStore places() {
      return new MemoryLeaseStore(() -> Micros.instant(NOW_MICROS));
    }
  }

  /**
   * Takes all places of a queue but one: who gets that one waits longer than anything takes, on
   * however busy a machine. The clock of the service stands, so no place becomes free by itself.
   */
  static void takePlacesBefore(Service service, String rule, String key) {
    String resource = LimitNames.resource("queue", rule, key);
    Queue queue = Queue.of(MANY_PLACES, LONGEST_WAIT);
    for (int i = 1; i < MANY_PLACES; i++) {
      service.part(MemoryLeaseStore.class).join(resource, queue, "before-" + i);
    }
  }

  private static void rule(Map<String, Object> properties, int at, String name, String path) {
    String place = "weir.rules[" + at + "].";
    properties.put(place + "name", name);
    properties.put(place + "path-pattern", path);
    properties.put(place + "key-by", "header:" + KEY);
    properties.put(place + "allowed-requests", "1");
    properties.put(place + "window-seconds", "3600");
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private double decisions(String rule, String outcome) {
    return service()
        .meters()
        .get("weir.decisions")
        .tags("rule", rule, "outcome", outcome)
        .counter()
        .count();
  }

  @Test
  default void passesAndRefusesWithAllHeaderFields() {
    String key = newKey();
    double before = decisions("quotes", "refused");
    Answer passed = service().get("/quotes/1", KEY, key);
    assertThat(passed.status()).isEqualTo(200);
    assertThat(passed.header("RateLimit-Policy")).isEqualTo("\"quotes\";q=1;w=3600");
    assertThat(passed.header("RateLimit")).startsWith("\"quotes\";r=0;t=");
    assertThat(passed.header("X-RateLimit-Limit")).isEqualTo("1");
    assertThat(passed.header("X-RateLimit-Remaining")).isEqualTo("0");

    Answer refused = service().get("/quotes/2", KEY, key);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(refused.header("Retry-After")).isNotEmpty();
    assertThat(refused.header("RateLimit")).startsWith("\"quotes\";r=0;t=");
    assertThat(refused.body())
        .contains("\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"")
        .contains("\"status\":429")
        .contains("\"violated-policies\":[\"quotes\"]");
    assertThat(refused.headers("X-Signed")).as("no handler has run").isEmpty();
    assertThat(decisions("quotes", "refused")).isEqualTo(before + 1);
  }

  /** A service may use the header that was not counted. */
  @Test
  default void aHeaderThatIsCountedByIsThereOnce() {
    String key = newKey();
    for (String other : List.of(KEY, "x-api-key", "X_Api_Key")) {
      Answer refused = service().get("/quotes/1", KEY, key, other, newKey());
      assertThat(refused.status()).as(other).isEqualTo(400);
      assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
      assertThat(refused.body()).contains("urn:weir:problem:repeated-header", KEY);
      assertThat(refused.headers("X-Signed")).as("no handler has run").isEmpty();
    }
    assertThat(service().get("/quotes/1", "X_Api_Key", key).status()).isEqualTo(400);
    assertThat(service().get("/quotes/1", KEY, key).status()).as("none was taken").isEqualTo(200);
  }

  @Test
  default void ofEightAtOnceThreePassTwoWaitAndThreeAreRefused() {
    String key = newKey();
    long startNanos = System.nanoTime();
    List<CompletableFuture<Answer>> asked = new ArrayList<>();
    Map<String, Long> waitedNanos = new ConcurrentHashMap<>();
    for (int i = 0; i < 8; i++) {
      asked.add(
          service()
              .getLater("/orders/" + i, KEY, key)
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null && !answer.header("X-RateLimit-Delay-Ms").isEmpty()) {
                      waitedNanos.put(
                          answer.header("X-RateLimit-Delay-Ms"), System.nanoTime() - startNanos);
                    }
                  }));
    }
    List<Answer> answers = asked.stream().map(CompletableFuture::join).toList();
    List<Answer> passed = answers.stream().filter(answer -> answer.status() == 200).toList();
    List<Answer> queued =
        passed.stream()
            .filter(answer -> answer.header("X-RateLimit-Queued").equals("true"))
            .toList();
    assertThat(passed).hasSize(5);
    assertThat(queued)
        .extracting(answer -> answer.header("X-RateLimit-Delay-Ms"))
        .containsExactlyInAnyOrder("500", "1000");
    assertThat(answers).filteredOn(answer -> answer.status() == 429).hasSize(3);
    // They have waited, and were not answered before.
    assertThat(waitedNanos.get("500")).isGreaterThanOrEqualTo(500_000_000L);
    assertThat(waitedNanos.get("1000")).isGreaterThanOrEqualTo(1_000_000_000L);
    // Each waiting request went through every other filter, once.
    assertThat(passed)
        .allSatisfy(answer -> assertThat(answer.headers("X-Signed")).containsExactly("yes"))
        .allSatisfy(answer -> assertThat(answer.body()).isEqualTo("order"));
    assertThat(service().meters().get("weir.waiting").gauge().value()).isZero();
  }

  @Test
  default void placesAreFreeAgainWhenTheAnswerIsOut() {
    for (int i = 0; i < 3; i++) {
      Service.eventually(() -> service().get("/reports/short").status() == 200);
    }
    Service.Report report = service().startReport();
    assertThat(service().get("/reports/long").status()).isEqualTo(429);
    assertThat(service().get("/reports/short").status()).isEqualTo(429);
    report.work().complete("done");
    assertThat(report.answer().join().body()).isEqualTo("done");
    Service.eventually(() -> service().get("/reports/short").status() == 200);
  }

  @Test
  default void aRuleInTheShadowOnlyCounts() {
    String key = newKey();
    double before = decisions("letters", "shadow-refused");
    for (int i = 0; i < 3; i++) {
      Answer answer = service().get("/letters", KEY, key);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("RateLimit")).isEmpty();
    }
    assertThat(decisions("letters", "shadow-refused")).isEqualTo(before + 2);
  }

  @Test
  default void noSpellingOfAPathGetsAround() {
    String key = newKey();
    assertThat(service().get("/quotes/1", KEY, key).status()).isEqualTo(200);
    for (String path :
        List.of("/quotes/1?x=1", "/%71uotes/1", "/quotes;v=1/1", "/quotes/1/", "/quotes//1")) {
      assertThat(service().get(path, KEY, key).status()).as(path).isEqualTo(429);
    }
    for (String path :
        List.of(
            "/quotes%2F1",
            "/x/..;/quotes/1",
            "/quotes%5C1",
            "//quotes/1",
            "/x;%2f..%2fquotes/1",
            "/./quotes/1",
            "/x/../quotes/1",
            "/x/%2e%2e/quotes/1")) {
      assertThat(service().get(path, KEY, key).status()).as(path).isEqualTo(400);
    }
  }

  @Test
  default void noCaseOfAMethodGetsAround() {
    String key = newKey();
    assertThat(service().admit("GET", "/drafts", KEY, key).status()).isEqualTo(200);
    for (String method : List.of("GET", "get", "Get")) {
      assertThat(service().admit(method, "/drafts", KEY, key).status()).as(method).isEqualTo(429);
    }
  }

  @Test
  default void noMadeUpHopGetsAround() {
    assertThat(service().get("/offers", "X-Forwarded-For", "192.0.2.1").status()).isEqualTo(200);
    for (String made : List.of("192.0.2.1", "198.51.100.7, 192.0.2.1", "unknown, 192.0.2.1")) {
      assertThat(service().get("/offers", "X-Forwarded-For", made).status())
          .as(made)
          .isEqualTo(429);
    }
    assertThat(service().get("/offers", "X-Forwarded-For", "192.0.2.2").status()).isEqualTo(200);
  }

  @Test
  default void tellsItsHealth() {
    Answer health = service().get("/actuator/health/weir");
    assertThat(health.status()).isEqualTo(200);
    assertThat(health.body()).contains("\"rules\":7").contains("MemoryLimitStore");
  }

  @Test
  default void whatNoRuleCoversPassesWithoutFields() {
    Answer answer = service().get("/actuator/health");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("RateLimit")).isEmpty();
  }
}
