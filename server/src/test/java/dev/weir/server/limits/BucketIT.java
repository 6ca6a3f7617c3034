package dev.weir.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.http.StructuredFields;
import dev.weir.server.wiring.TestNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Token buckets by resource. */
final class BucketIT {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
  private static final String PATH = "/api/v1/buckets/";

  private final AtomicReference<Instant> clock = new AtomicReference<>(NOON);
  private TestNode.Served node;
  private Http http;

  @BeforeEach
  void start() {
    node = TestNode.onClock(clock::get);
    http = new Http(node.address());
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private Http.Answer define(String id, String capacity, String rate) {
    return http.put(PATH + id, "{\"capacity\":%s,\"refillRate\":%s}".formatted(capacity, rate));
  }

  private Http.Answer acquire(String id, String tokens) {
    return http.post(PATH + id + "/acquire", "{\"tokens\":%s}".formatted(tokens));
  }

  @Test
  void startsFullAndIsRefilledAtItsRate() {
    define("mail", "100", "10.0").ok();
    Http.Answer acquired = acquire("mail", "60").ok();
    assertThat(acquired.intAt("acquired")).isEqualTo(60);
    assertThat(acquired.intAt("remaining")).isEqualTo(40);
    assertThat(acquired.header("ratelimit-policy")).hasValue("\"mail\";q=100");
    assertThat(acquired.header("ratelimit")).hasValue("\"mail\";r=40;t=1");
    assertThat(acquired.header("x-ratelimit-limit")).hasValue("100");

    Http.Answer refused = acquire("mail", "60").refused();
    assertThat(refused.textAt("code")).isEqualTo("INSUFFICIENT_TOKENS");
    assertThat(refused.intAt("requested")).isEqualTo(60);
    assertThat(refused.intAt("available")).isEqualTo(40);
    assertThat(refused.at("violated-policies")).isEqualTo(List.of("mail"));
    assertThat(refused.header("retry-after")).hasValue("2");
    assertThat(refused.header("ratelimit")).hasValue("\"mail\";r=40;t=1");

    clock.set(NOON.plusSeconds(2));
    Http.Answer state = http.get(PATH + "mail").ok();
    assertThat(state.intAt("currentTokens")).isEqualTo(60);
    assertThat(state.intAt("capacity")).isEqualTo(100);
    assertThat(state.at("refillRate")).isEqualTo(BigDecimal.TEN);
    assertThat(state.textAt("lastRefillAt")).isEqualTo("2026-06-01T12:00:00Z");
    assertThat(state.textAt("createdAt")).isEqualTo("2026-06-01T12:00:00Z");
    assertThat(state.textAt("updatedAt")).isEqualTo("2026-06-01T12:00:00Z");
    acquire("mail", "60").ok();
  }

  @Test
  void anotherCapacityKeepsWhatWasUsed() {
    define("mail", "10", "1").ok();
    acquire("mail", "8").ok();
    clock.set(NOON.plusMillis(1));
    Http.Answer larger = define("mail", "20", "1").ok();
    assertThat(larger.intAt("currentTokens")).isEqualTo(12);
    assertThat(larger.textAt("createdAt")).isEqualTo("2026-06-01T12:00:00Z");
    assertThat(larger.textAt("updatedAt")).isEqualTo("2026-06-01T12:00:00.001Z");
    assertThat(define("mail", "5", "1").ok().intAt("currentTokens")).isZero();
  }

  @Test
  void anotherRateAppliesFromTheChangeOnAndNotToThePast() {
    define("mail", "100", "0.01").ok();
    acquire("mail", "100").ok();
    clock.set(NOON.plusSeconds(5));
    assertThat(define("mail", "100", "10").ok().intAt("currentTokens")).isZero();
    clock.set(NOON.plusSeconds(10));
    assertThat(http.get(PATH + "mail").ok().intAt("currentTokens")).isEqualTo(50);
    assertThat(define("mail", "100", "0.01").ok().intAt("currentTokens")).isEqualTo(50);
    clock.set(NOON.plusSeconds(99));
    assertThat(http.get(PATH + "mail").ok().intAt("currentTokens")).isEqualTo(50);
    clock.set(NOON.plusSeconds(110));
    assertThat(http.get(PATH + "mail").ok().intAt("currentTokens")).isEqualTo(51);
  }

  @Test
  void aSlowerBucketStaysUsedAfterTheFormerOneWouldBeFull() {
    define("mail", "5", "1").ok();
    acquire("mail", "5").ok();
    define("mail", "5", "0.001").ok();
    clock.set(NOON.plusSeconds(500));
    assertThat(http.get(PATH + "mail").ok().intAt("currentTokens")).isZero();
  }

  @Test
  void aRemovedBucketIsUnknownAndANewOneIsFull() {
    define("mail", "10", "1").ok();
    acquire("mail", "8").ok();
    assertThat(http.delete(PATH + "mail").status()).isEqualTo(204);
    http.get(PATH + "mail").problem(404, "unknown-resource");
    http.delete(PATH + "mail").problem(404, "unknown-resource");
    acquire("mail", "1").problem(404, "unknown-resource");
    assertThat(define("mail", "10", "1").ok().intAt("currentTokens")).isEqualTo(10);
  }

  @Test
  void wrongCapacitiesAndRatesHaveTheirCodes() {
    for (String capacity : List.of("0", "-1", "1.5", "\"9\"", "null", "1e400", "1000000000001")) {
      Http.Answer answer = define("mail", capacity, "1").wrong("capacity");
      assertThat(answer.textAt("code")).isEqualTo("INVALID_CAPACITY");
    }
    for (String rate : List.of("0", "-1", "\"9\"", "null", "1e13", "1E-999999999", "1e999999999")) {
      Http.Answer answer = define("mail", "1", rate).wrong("refillRate");
      assertThat(answer.textAt("code")).isEqualTo("INVALID_REFILL_RATE");
    }
    Http.Answer both = define("mail", "0", "0").wrong("capacity", "refillRate");
    assertThat(both.textAt("code")).isEqualTo("INVALID_CAPACITY");
    http.put(PATH + "mail", "{\"capacity\":1,\"refillRate\":1,\"burst\":2}").wrong("burst");
    http.get(PATH + "mail").problem(404, "unknown-resource");
  }

  @Test
  void countsThatCouldNeverBeGrantedHaveTheirCode() {
    define("mail", "10", "1").ok();
    for (String tokens : List.of("0", "-1", "11", "1.5", "1e400")) {
      Http.Answer answer = acquire("mail", tokens).wrong("tokens");
      assertThat(answer.textAt("code")).isEqualTo("INVALID_TOKEN_COUNT");
      assertThat((BigDecimal) answer.at("count")).isEqualByComparingTo(tokens);
      assertThat(answer.intAt("capacity")).isEqualTo(10);
    }
    for (String tokens : List.of("\"1\"", "null", "[]")) {
      Http.Answer answer = acquire("mail", tokens).wrong("tokens");
      assertThat(answer.textAt("code")).isEqualTo("INVALID_TOKEN_COUNT");
      assertThat(answer.at("count")).isNull();
    }
    assertThat(http.get(PATH + "mail").ok().intAt("currentTokens")).isEqualTo(10);
  }

  @Test
  void anEmptyIdHasItsCode() {
    for (String id : List.of("", "%20", "%09", "%20%20")) {
      for (Http.Answer answer :
          List.of(
              define(id, "1", "1"),
              http.get(PATH + id),
              http.delete(PATH + id),
              acquire(id, "1"))) {
        answer.problem(400, "invalid-request");
        assertThat(answer.textAt("code")).isEqualTo("EMPTY_RESOURCE_ID");
      }
    }
  }

  @Test
  void anyTextIsAnId() {
    for (String id :
        List.of(
            "a/b",
            "..",
            "'; drop table bucket; --",
            "\"quoted\"",
            "é😀",
            "a+b",
            "a b",
            "%",
            "*",
            "x".repeat(200))) {
      String encoded = Http.encoded(id);
      define(encoded, "2", "1").ok();
      Http.Answer answer = acquire(encoded, "1").ok();
      assertThat(StructuredFields.read(answer.header("ratelimit").orElseThrow())).hasSize(1);
      assertThat(http.get(PATH + encoded).ok().textAt("resourceId")).isEqualTo(id);
    }
    define("a%00b", "1", "1").wrong("resourceId");
    define("x".repeat(201), "1", "1").wrong("resourceId");
  }
}
