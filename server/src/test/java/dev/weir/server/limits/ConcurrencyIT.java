package dev.weir.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many at the same time, by resource. */
final class ConcurrencyIT {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
  private static final String PATH = "/api/v1/concurrency/";

  private final AtomicReference<Instant> clock = new AtomicReference<>(NOON);
  private TestNode.Served node;
  private Http http;

  @BeforeEach
  void start() {
    node = TestNode.onClock(clock::get);
    http = new Http(node.address());
    define("db", "3").ok();
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private Http.Answer define(String id, String max) {
    return http.put(PATH + id, "{\"maxConcurrent\":%s,\"leaseTtl\":\"PT30S\"}".formatted(max));
  }

  private Http.Answer acquire(String count) {
    return http.post(PATH + "db/leases", "{\"count\":%s}".formatted(count));
  }

  private String held(String count) {
    Http.Answer answer = acquire(count);
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    return answer.textAt("leaseId");
  }

  private int current() {
    return http.get(PATH + "db").ok().intAt("currentCount");
  }

  @Test
  void givesLeasesUntilAllPlacesAreTaken() {
    Http.Answer one = http.post(PATH + "db/leases");
    assertThat(one.status()).isEqualTo(201);
    assertThat(one.textAt("expiresAt")).isEqualTo("2026-06-01T12:00:30Z");
    assertThat(one.header("ratelimit-policy")).hasValue("\"db\";q=3;qu=\"concurrent-requests\"");
    assertThat(one.header("ratelimit")).hasValue("\"db\";r=2");
    assertThat(one.header("x-ratelimit-remaining")).hasValue("2");
    assertThat(one.header("x-ratelimit-reset")).isEmpty();
    held("1");

    Http.Answer refused = acquire("2").refused();
    assertThat(refused.textAt("code")).isEqualTo("CONCURRENCY_LIMIT_REACHED");
    assertThat(refused.intAt("current")).isEqualTo(2);
    assertThat(refused.intAt("max")).isEqualTo(3);
    assertThat(refused.at("violated-policies")).isEqualTo(List.of("db"));
    assertThat(refused.header("retry-after")).hasValue("30");
    assertThat(refused.header("ratelimit")).hasValue("\"db\";r=1;t=30");
    held("1");
    assertThat(current()).isEqualTo(3);
  }

  @Test
  void aLeaseEndsWhenItIsReleasedTwiceIsHarmless() {
    String lease = held("3");
    assertThat(http.delete(PATH + "db/leases/" + lease).status()).isEqualTo(204);
    assertThat(http.delete(PATH + "db/leases/" + lease).status()).isEqualTo(204);
    assertThat(http.delete(PATH + "db/leases/never-was").status()).isEqualTo(204);
    assertThat(current()).isZero();
    http.send("PUT", PATH + "db/leases/" + lease).problem(404, "unknown-lease");
  }

  @Test
  void aLeaseThatIsNotRenewedEndsByItselfAndNotBefore() {
    String kept = held("1");
    String lost = held("2");
    clock.set(NOON.plusSeconds(29));
    Http.Answer renewed = http.send("PUT", PATH + "db/leases/" + kept).ok();
    assertThat(renewed.textAt("leaseId")).isEqualTo(kept);
    assertThat(renewed.textAt("expiresAt")).isEqualTo("2026-06-01T12:00:59Z");
    assertThat(current()).isEqualTo(3);
    clock.set(NOON.plusSeconds(30));
    assertThat(current()).isEqualTo(1);
    http.send("PUT", PATH + "db/leases/" + lost).problem(404, "unknown-lease");
    clock.set(NOON.plusSeconds(59));
    assertThat(current()).isZero();
  }

  @Test
  void aLowerLimitEndsNoLease() {
    String lease = held("3");
    define("db", "1").ok();
    assertThat(current()).isEqualTo(3);
    Http.Answer refused = acquire("1").refused();
    assertThat(refused.header("ratelimit").orElseThrow()).startsWith("\"db\";r=0");
    http.send("PUT", PATH + "db/leases/" + lease).ok();
    assertThat(http.delete(PATH + "db/leases/" + lease).status()).isEqualTo(204);
    held("1");
  }

  @Test
  void aRemovedResourceIsUnknown() {
    String lease = held("3");
    assertThat(http.delete(PATH + "db").status()).isEqualTo(204);
    http.get(PATH + "db").problem(404, "unknown-resource");
    http.delete(PATH + "db").problem(404, "unknown-resource");
    acquire("1").problem(404, "unknown-resource");
    http.send("PUT", PATH + "db/leases/" + lease).problem(404, "unknown-resource");
    http.delete(PATH + "db/leases/" + lease).problem(404, "unknown-resource");
    define("db", "3").ok();
    assertThat(current()).isZero();
  }

  @Test
  void wrongDefinitionsHaveTheirCode() {
    for (String max : List.of("0", "-1", "1.5", "\"9\"", "null", "1e400", "1000001")) {
      assertThat(define("db", max).wrong("maxConcurrent").textAt("code"))
          .isEqualTo("INVALID_MAX_CONCURRENT");
    }
    for (String ttl : List.of("PT0S", "-PT1S", "P367D", "PT0.0000001S", "soon")) {
      http.put(PATH + "db", "{\"maxConcurrent\":1,\"leaseTtl\":\"%s\"}".formatted(ttl))
          .wrong("leaseTtl");
    }
    assertThat(http.put(PATH + "other", "{\"maxConcurrent\":1}").ok().textAt("leaseTtl"))
        .isEqualTo("PT30S");
  }

  @Test
  void countsThatCouldNeverBeHeldHaveTheirCode() {
    for (String count : List.of("0", "-1", "4", "1.5", "1e400")) {
      Http.Answer answer = acquire(count).wrong("count");
      assertThat(answer.textAt("code")).isEqualTo("INVALID_CONCURRENT_COUNT");
      assertThat((BigDecimal) answer.at("count")).isEqualByComparingTo(count);
      assertThat(answer.intAt("max")).isEqualTo(3);
    }
    assertThat(acquire("\"1\"").wrong("count").textAt("code"))
        .isEqualTo("INVALID_CONCURRENT_COUNT");
    http.post(PATH + "db/leases", "{\"cuont\":1}").wrong("cuont");
    assertThat(current()).isZero();
  }

  @Test
  void anEmptyIdHasItsCode() {
    for (String id : List.of("", "%20")) {
      for (Http.Answer answer :
          List.of(
              define(id, "1"),
              http.get(PATH + id),
              http.delete(PATH + id),
              http.post(PATH + id + "/leases", "{}"))) {
        answer.problem(400, "invalid-request");
        assertThat(answer.textAt("code")).isEqualTo("EMPTY_RESOURCE_ID");
      }
    }
    define("a%00b", "1").wrong("resourceId");
    http.send("PUT", PATH + "db/leases/a%00b").wrong("leaseId");
  }
}
