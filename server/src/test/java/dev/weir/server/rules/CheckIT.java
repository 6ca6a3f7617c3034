package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.http.StructuredFields;
import dev.weir.server.wiring.TestNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checks of rules by name. */
final class CheckIT {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private final AtomicReference<Instant> clock = new AtomicReference<>(NOON);
  private final Set<Thread> deciding = ConcurrentHashMap.newKeySet();
  private TestNode.Served node;
  private Http http;

  @BeforeEach
  void start() {
    node =
        TestNode.onClock(
            () -> {
              deciding.add(Thread.currentThread());
              return clock.get();
            });
    http = new Http(node.address());
    rule("api", "\"allowedRequests\":3,\"windowSeconds\":60");
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private void rule(String name, String spec) {
    assertThat(http.post("/api/admin/rules", "{\"name\":\"%s\",%s}".formatted(name, spec)).status())
        .isEqualTo(201);
  }

  private Http.Answer check(String json) {
    return http.post("/api/v1/check", json.replace('\'', '"'));
  }

  @Test
  void allowsUpToTheLimitThenRefusesUntilTheWindowIsOver() {
    for (int left = 2; left >= 0; left--) {
      Http.Answer answer = check("{'rule':'api','key':'user:101'}").ok();
      assertThat(answer.at("allowed")).isEqualTo(true);
      assertThat(answer.intAt("remaining")).isEqualTo(left);
      assertThat(answer.textAt("mode")).isEqualTo("store");
      assertThat(answer.at("replayed")).isEqualTo(false);
      assertThat(answer.textAt("decidedAt")).isEqualTo("2026-06-01T12:00:00Z");
      assertThat(answer.header("retry-after")).isEmpty();
    }
    clock.set(NOON.plus(Duration.ofMillis(43_500)));
    Http.Answer refused = check("{'rule':'api','key':'user:101'}").refused();
    assertThat(refused.at("allowed")).isEqualTo(false);
    assertThat(refused.at("violated-policies")).isEqualTo(List.of("api"));
    assertThat(refused.intAt("remaining")).isZero();
    assertThat(refused.at("retryAfter")).isEqualTo(new BigDecimal("16.5"));
    assertThat(refused.at("reset")).isEqualTo(new BigDecimal("16.5"));
    assertThat(refused.header("retry-after")).hasValue("17");

    check("{'rule':'api','key':'user:102'}").ok();
    clock.set(NOON.plus(Duration.ofSeconds(60)));
    check("{'rule':'api','key':'user:101'}").ok();
  }

  @Test
  void memoryDecidesOnTheThreadThatReadTheRequest() {
    deciding.clear();
    check("{'rule':'api','key':'a'}").ok();
    assertThat(deciding)
        .isNotEmpty()
        .allSatisfy(thread -> assertThat(thread.getName()).contains("EventLoop"));
  }

  @Test
  void tellsGrantsAndRefusalsInHeaderFields() {
    Http.Answer granted = check("{'rule':'api','key':'a','cost':3}").ok();
    assertThat(granted.header("ratelimit-policy")).hasValue("\"api\";q=3;w=60");
    assertThat(granted.header("ratelimit")).hasValue("\"api\";r=0;t=60");
    assertThat(granted.header("x-ratelimit-limit")).hasValue("3");
    assertThat(granted.header("x-ratelimit-remaining")).hasValue("0");
    assertThat(granted.header("x-ratelimit-reset")).hasValue("60");

    clock.set(NOON.plusNanos(1_000));
    Http.Answer refused = check("{'rule':'api','key':'a'}").refused();
    assertThat(refused.header("ratelimit")).hasValue("\"api\";r=0;t=60");
    assertThat(refused.header("retry-after")).hasValue("60");
    assertThat(StructuredFields.read(refused.header("ratelimit").orElseThrow()))
        .containsExactly(
            new StructuredFields.Item(
                "api", Map.of("r", BigDecimal.ZERO, "t", BigDecimal.valueOf(60))));
  }

  @Test
  void waitingAsLongAsRetryAfterSaysIsEnoughAndASecondLessIsNot() {
    rule("bucket", "\"algorithm\":\"TOKEN_BUCKET\",\"capacity\":7,\"refillRate\":0.3");
    check("{'rule':'bucket','key':'a','cost':7}").ok();
    clock.set(clock.get().plusMillis(700));
    long seconds =
        Long.parseLong(
            check("{'rule':'bucket','key':'a','cost':5}")
                .refused()
                .header("retry-after")
                .orElseThrow());
    clock.set(clock.get().plusSeconds(seconds - 1));
    check("{'rule':'bucket','key':'a','cost':5}").refused();
    clock.set(clock.get().plusSeconds(1));
    check("{'rule':'bucket','key':'a','cost':5}").ok();
  }

  @Test
  void severalRulesAreGrantedTogetherOrNotAtAll() {
    rule("all", "\"allowedRequests\":4,\"windowSeconds\":10");
    String both = "{'all':[{'rule':'api','key':'u'},{'rule':'all','key':'g','cost':2}]}";
    Http.Answer first = check(both).ok();
    assertThat(first.at("allowed")).isEqualTo(true);
    assertThat(first.at("all.0.rule")).isEqualTo("api");
    assertThat(first.intAt("all.0.remaining")).isEqualTo(2);
    assertThat(first.intAt("all.1.remaining")).isEqualTo(2);
    assertThat(first.header("ratelimit-policy")).hasValue("\"api\";q=3;w=60, \"all\";q=4;w=10");
    assertThat(first.header("ratelimit")).hasValue("\"api\";r=2;t=60, \"all\";r=2;t=10");
    assertThat(first.header("x-ratelimit-limit")).hasValue("3");
    check(both).ok();

    Http.Answer refused = check(both).refused();
    assertThat(refused.at("violated-policies")).isEqualTo(List.of("all"));
    assertThat(refused.at("all.0.allowed")).isEqualTo(true);
    assertThat(refused.intAt("all.0.remaining")).isEqualTo(1);
    assertThat(refused.at("all.1.allowed")).isEqualTo(false);
    assertThat(refused.header("retry-after")).hasValue("10");
    assertThat(refused.header("x-ratelimit-limit")).hasValue("4");
    // Nothing was taken from the other.
    assertThat(check("{'rule':'api','key':'u'}").ok().intAt("remaining")).isZero();
  }

  @Test
  void oneRuleForTwoKeysIsToldApart() {
    Http.Answer answer =
        check("{'all':[{'rule':'api','key':'a'},{'rule':'api','key':'ü','cost':2}]}").ok();
    assertThat(answer.header("ratelimit-policy")).hasValue("\"api\";q=3;w=60");
    assertThat(StructuredFields.read(answer.header("ratelimit").orElseThrow()))
        .extracting(item -> item.parameters().get("pk"))
        .containsExactly("a", "ü");
  }

  @Test
  void aRepeatedRequestIsAnsweredAsBeforeAndTakesNothing() {
    String json = "{'rule':'api','key':'a','cost':2,'requestId':'r-1'}";
    assertThat(check(json).ok().at("replayed")).isEqualTo(false);
    Http.Answer again = check(json).ok();
    assertThat(again.at("replayed")).isEqualTo(true);
    assertThat(again.intAt("remaining")).isEqualTo(1);
    assertThat(check("{'rule':'api','key':'a'}").ok().intAt("remaining")).isZero();
  }

  @Test
  void peekTakesNothing() {
    Http.Answer peek = check("{'rule':'api','key':'a','cost':2,'peek':true}").ok();
    assertThat(peek.intAt("remaining")).isEqualTo(3);
    assertThat(peek.header("ratelimit")).hasValue("\"api\";r=3;t=0");
    check("{'rule':'api','key':'a','cost':3}").ok();
    check("{'rule':'api','key':'a','peek':true}").refused();
    check("{'rule':'api','key':'a','peek':true,'requestId':'x'}").wrong("requestId");
    check("{'rule':'api','key':'a','peek':'yes'}").wrong("peek");
  }

  @Test
  void whatWasRefundedCanBeTakenAgain() {
    Http.Answer granted = check("{'rule':'api','key':'a','cost':3,'requestId':'r'}").ok();
    String refund =
        "{\"rule\":\"api\",\"key\":\"a\",\"cost\":3,\"requestId\":\"r\",\"decidedAt\":\"%s\"}"
            .formatted(granted.textAt("decidedAt"));
    assertThat(http.post("/api/v1/refund", refund).status()).isEqualTo(204);
    check("{'rule':'api','key':'a','cost':2}").ok();
    // Once is enough.
    assertThat(http.post("/api/v1/refund", refund).status()).isEqualTo(204);
    assertThat(check("{'rule':'api','key':'a','peek':true}").ok().intAt("remaining")).isEqualTo(1);
  }

  @Test
  void aRefundNamesEveryWrongField() {
    http.post("/api/v1/refund", "{\"rule\":\"api\",\"cost\":0,\"peek\":true}")
        .wrong("key", "cost", "decidedAt", "peek");
    http.post(
            "/api/v1/refund",
            "{\"rule\":\"no\",\"key\":\"a\",\"decidedAt\":\"2026-06-01T12:00:00Z\"}")
        .problem(404, "unknown-rule");
  }

  @Test
  void aRuleThatIsNotActiveLetsEverythingPass() {
    rule("off", "\"allowedRequests\":1,\"windowSeconds\":60,\"active\":false");
    for (int i = 0; i < 3; i++) {
      Http.Answer answer = check("{'rule':'off','key':'a'}").ok();
      assertThat(answer.at("allowed")).isEqualTo(true);
      assertThat(answer.textAt("mode")).isEqualTo("inactive");
      assertThat(answer.header("ratelimit")).isEmpty();
    }
    Http.Answer both = check("{'all':[{'rule':'off','key':'a'},{'rule':'api','key':'a'}]}").ok();
    assertThat(both.at("all.0.active")).isEqualTo(false);
    assertThat(both.intAt("all.1.remaining")).isEqualTo(2);
    assertThat(both.header("ratelimit")).hasValue("\"api\";r=2;t=60");
  }

  @Test
  void everyWrongFieldIsNamed() {
    check("{}").wrong("rule", "key");
    check("{'rule':1,'key':2,'cost':'3','requestId':4,'cots':5}")
        .wrong("rule", "key", "cost", "requestId", "cots");
    check("{'rule':'api','key':''}").wrong("key");
    check("{'rule':'api','key':'%s'}".formatted("x".repeat(256))).wrong("key");
    check("{'rule':'api','key':'a\\u0000b','requestId':'\\ud800'}").wrong("key", "requestId");
    check("{'all':[]}").wrong("all");
    check("{'all':{}}").wrong("all");
    check("{'all':[1,{'rule':'api'}],'key':'a'}").wrong("all[0]", "all[1].key", "key");
    check("{'all':[{'rule':'api','key':'a','requestId':'x'}]}").wrong("all[0].requestId");
    check("{'all':[{'rule':'api','key':'a'},{'rule':'api','key':'a'}]}").wrong("all");
    check("{'all':[%s]}".formatted("{'rule':'api','key':'a'},".repeat(40) + "{}")).wrong("all");
  }

  @Test
  void aCostThatCouldNeverBeGrantedIsABadRequest() {
    for (String cost :
        List.of("0", "-1", "4", "1.5", "1e400", "-1e400", "9223372036854775808", "1E-999999999")) {
      assertThat(check("{'rule':'api','key':'a','cost':%s}".formatted(cost)).wrong("cost").text())
          .contains("from 1 to 3");
    }
    assertThat(check("{'rule':'api','key':'a','cost':3.0}").ok().intAt("remaining")).isZero();
  }

  @Test
  void anUnknownRuleIsNotFound() {
    assertThat(check("{'rule':'no','key':'a'}").problem(404, "unknown-rule").textAt("detail"))
        .isEqualTo("There is no rule \"no\".");
    check("{'all':[{'rule':'api','key':'a'},{'rule':'no','key':'a'}]}")
        .problem(404, "unknown-rule");
  }

  @Test
  void namesThatHaveToBeEscapedComeBackAsTheyAre() {
    String inJson = "a \\\"b\\\" \\\\ c;q=1, d";
    http.post(
        "/api/admin/rules",
        "{\"name\":\"%s\",\"allowedRequests\":9,\"windowSeconds\":1}".formatted(inJson));
    Http.Answer answer =
        http.post("/api/v1/check", "{\"rule\":\"%s\",\"key\":\"a\"}".formatted(inJson)).ok();
    assertThat(StructuredFields.read(answer.header("ratelimit").orElseThrow()))
        .extracting(StructuredFields.Item::name)
        .containsExactly("a \"b\" \\ c;q=1, d");
    assertThat(StructuredFields.read(answer.header("ratelimit-policy").orElseThrow()))
        .extracting(StructuredFields.Item::name)
        .containsExactly("a \"b\" \\ c;q=1, d");
  }

  @Test
  void whatIsNoJsonOrTooLargeIsRefused() {
    check("{'rule':").problem(400, "malformed-json");
    check("[]").problem(400, "invalid-request");
    check("{'rule':'api','rule':'api','key':'a'}").problem(400, "malformed-json");
    check("{'rule':'api','key':'a'} {}").problem(400, "malformed-json");
    check("{'rule':'api','key':'%s'}".formatted("x".repeat(10 * 1024 * 1024)))
        .problem(413, "too-large");
    http.with("Content-Type", "text/plain")
        .post("/api/v1/check", "{}")
        .problem(415, "unsupported-media-type");
  }
}
