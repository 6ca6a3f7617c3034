package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request id belongs to one request, and records its whole result. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RequestIdIT {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private final AtomicReference<Instant> clock = new AtomicReference<>(NOON);
  private final Map<String, String> paths = new HashMap<>();
  private TestNode.Served node;
  private Http http;

  @BeforeEach
  void start() {
    node = TestNode.onClock(clock::get);
    http = new Http(node.address());
    rule("api", "'allowedRequests':3,'windowSeconds':60");
    rule("org", "'allowedRequests':10,'windowSeconds':60");
    rule(
        "queued",
        "'allowedRequests':3,'windowSeconds':60,'queueEnabled':true,'maxQueueSize':20,"
            + "'delayPerRequestMs':1");
    rule("two", "'algorithm':'CONCURRENCY','maxConcurrent':2,'leaseTtl':'PT30S'");
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private void rule(String name, String spec) {
    Http.Answer made =
        http.post("/api/admin/rules", json("{'name':'%s',%s}".formatted(name, spec)));
    assertThat(made.status()).isEqualTo(201);
    paths.put(name, made.header("location").orElseThrow());
  }

  private Http.Answer check(String json) {
    return http.post("/api/v1/check", json(json));
  }

  private Http.Answer refund(String json) {
    return http.post("/api/v1/refund", json(json));
  }

  private static String json(String quoted) {
    return quoted.replace('\'', '"');
  }

  private int remaining(String rule, String key) {
    return http.post(
            "/api/v1/check", json("{'rule':'%s','key':'%s','peek':true}".formatted(rule, key)))
        .intAt("remaining");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'rule':'org','key':'a','requestId':'id'}",
        "{'rule':'api','key':'b','requestId':'id'}",
        "{'rule':'api','key':'a','cost':2,'requestId':'id'}",
        "{'all':[{'rule':'api','key':'a'},{'rule':'org','key':'a'}],'requestId':'id'}",
        "{'all':[{'rule':'api','key':'b'},{'rule':'org','key':'b'}],'requestId':'id'}",
        "{'rule':'queued','key':'a','requestId':'id'}",
        "{'rule':'two','key':'a','requestId':'id'}",
        "{'all':[{'rule':'two','key':'a'},{'rule':'api','key':'a'}],'requestId':'id'}"
      })
  void anotherRequestWithAKnownIdIsAConflictAndTakesNothing(String other) {
    check("{'rule':'api','key':'a','requestId':'id'}").ok();
    check(other).problem(409, "request-id-reused");
    assertThat(remaining("api", "a")).isEqualTo(2);
    assertThat(remaining("api", "b")).isEqualTo(3);
    assertThat(remaining("org", "a")).isEqualTo(10);
    assertThat(remaining("org", "b")).isEqualTo(10);
    assertThat(remaining("queued", "a")).isEqualTo(3);
    assertThat(remaining("two", "a")).isEqualTo(2);
    assertThat(check("{'rule':'api','key':'a','requestId':'id'}").ok().at("replayed"))
        .isEqualTo(true);
  }

  @Test
  void theOrderOfRulesBelongsToTheRequest() {
    check("{'all':[{'rule':'api','key':'a'},{'rule':'org','key':'a'}],'requestId':'id'}").ok();
    check("{'all':[{'rule':'org','key':'a'},{'rule':'api','key':'a'}],'requestId':'id'}")
        .problem(409, "request-id-reused");
    assertThat(
            check("{'all':[{'rule':'api','key':'a'},{'rule':'org','key':'a'}],'requestId':'id'}")
                .ok()
                .at("replayed"))
        .isEqualTo(true);
  }

  @Test
  void aRefundOfAnotherRequestIsAConflictAndGivesNothingBack() {
    String first = check("{'rule':'api','key':'a','requestId':'id'}").ok().textAt("decidedAt");
    check("{'rule':'api','key':'a','cost':2}").ok();
    refund("{'rule':'api','key':'a','cost':3,'requestId':'id','decidedAt':'%s'}".formatted(first))
        .problem(409, "request-id-reused");
    refund("{'rule':'api','key':'b','requestId':'id','decidedAt':'%s'}".formatted(first))
        .problem(409, "request-id-reused");
    assertThat(remaining("api", "a")).isZero();
    assertThat(
            refund("{'rule':'api','key':'a','requestId':'id','decidedAt':'%s'}".formatted(first))
                .status())
        .isEqualTo(204);
    assertThat(remaining("api", "a")).isEqualTo(1);
  }

  /**
   * The store records when the id was granted: what the caller sends as the time changes nothing.
   */
  @Test
  void aRefundByItsIdNeedsNoTime() {
    check("{'rule':'api','key':'a','requestId':'old'}").ok();
    clock.set(NOON.plus(Duration.ofSeconds(61)));
    check("{'rule':'api','key':'a','requestId':'new'}").ok();
    refund("{'rule':'api','key':'a','requestId':'old','decidedAt':'%s'}".formatted(clock.get()));
    assertThat(remaining("api", "a")).as("the window of the grant is over").isEqualTo(2);
    assertThat(refund("{'rule':'api','key':'a','requestId':'new'}").status()).isEqualTo(204);
    assertThat(remaining("api", "a")).isEqualTo(3);
  }

  @Test
  void aQueuedRequestOfSeveralRulesIsAnsweredAsBefore() {
    check("{'rule':'queued','key':'a','cost':3}").ok();
    String request =
        "{'all':[{'rule':'queued','key':'a'},{'rule':'org','key':'a'}],'requestId':'id'}";
    Http.Answer first = check(request).ok();
    assertThat(first.at("queued")).isEqualTo(true);
    assertThat(first.at("replayed")).isEqualTo(false);
    Http.Answer again = check(request).ok();
    assertThat(again.at("replayed")).isEqualTo(true);
    assertThat(again.at("all")).isEqualTo(first.at("all"));
    assertThat(again.textAt("decidedAt")).isEqualTo(first.textAt("decidedAt"));
    assertThat(remaining("org", "a")).isEqualTo(9);
  }

  @Test
  void aSingleRequestThatWaitedIsRemembered() {
    check("{'rule':'queued','key':'a','cost':3}").ok();
    Http.Answer first = check("{'rule':'queued','key':'a','requestId':'id'}").ok();
    assertThat(first.at("queued")).isEqualTo(true);
    clock.set(NOON.plus(Duration.ofSeconds(61)));
    Http.Answer again = check("{'rule':'queued','key':'a','requestId':'id'}").ok();
    assertThat(again.at("replayed")).isEqualTo(true);
    assertThat(remaining("queued", "a")).isEqualTo(3);
    check("{'rule':'queued','key':'b','requestId':'id'}").problem(409, "request-id-reused");
  }

  @Test
  void aRefusedRequestDoesNotEndTheLeaseOfItsId() {
    check("{'rule':'two','key':'a','requestId':'id'}").ok();
    check("{'rule':'api','key':'a','cost':3}").ok();
    check("{'all':[{'rule':'two','key':'a'},{'rule':'api','key':'a'}],'requestId':'id'}")
        .problem(409, "request-id-reused");
    assertThat(remaining("two", "a")).isEqualTo(1);
  }

  /**
   * Five rounds of taking and giving back let at most three pass, however many go through the
   * queue.
   */
  @Test
  void givingBackWhatWaitedGivesNothingBack() {
    int immediate = 0;
    for (int round = 0; round < 8; round++) {
      Http.Answer answer = check("{'rule':'queued','key':'a'}").ok();
      boolean isQueued = Boolean.TRUE.equals(answer.at("queued"));
      immediate += isQueued ? 0 : 1;
      if (isQueued) {
        refund(
            "{'rule':'queued','key':'a','decidedAt':'%s','mode':'%s','queued':true}"
                .formatted(answer.textAt("decidedAt"), answer.textAt("mode")));
      }
    }
    assertThat(immediate).isEqualTo(3);
  }

  @Test
  void givingBackWhatWaitedByItsIdGivesNothingBack() {
    int immediate = 0;
    for (int round = 0; round < 8; round++) {
      String request = "{'rule':'queued','key':'a','requestId':'id%d'%s}";
      Http.Answer answer = check(request.formatted(round, "")).ok();
      boolean isQueued = Boolean.TRUE.equals(answer.at("queued"));
      immediate += isQueued ? 0 : 1;
      if (isQueued) {
        String decidedAt = ",'decidedAt':'%s'".formatted(answer.textAt("decidedAt"));
        assertThat(refund(request.formatted(round, decidedAt)).status()).isEqualTo(204);
      }
    }
    assertThat(immediate).isEqualTo(3);
  }

  /** The response says whether it waited; without that, it is unknown what the request took. */
  @Test
  void refundOfARuleWithAQueueSaysWhetherItWaited() {
    Http.Answer passed = check("{'rule':'queued','key':'a'}").ok();
    assertThat(passed.at("queued")).isEqualTo(false);
    refund("{'rule':'queued','key':'a','decidedAt':'%s'}".formatted(passed.textAt("decidedAt")))
        .wrong("queued");
    refund(
            "{'all':[{'rule':'queued','key':'a'}],'decidedAt':'%s'}"
                .formatted(passed.textAt("decidedAt")))
        .wrong("all[0].queued");
    assertThat(remaining("queued", "a")).isEqualTo(2);
    refund(
        "{'all':[{'rule':'queued','key':'a','queued':false}],'decidedAt':'%s'}"
            .formatted(passed.textAt("decidedAt")));
    assertThat(remaining("queued", "a")).isEqualTo(3);
  }

  @Test
  void oneOfSeveralRulesMayHaveBeenWaitedFor() {
    check("{'rule':'queued','key':'a','cost':3}").ok();
    Http.Answer answer =
        check("{'all':[{'rule':'queued','key':'a'},{'rule':'org','key':'a'}]}").ok();
    assertThat(answer.at("all"))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .first()
        .isInstanceOfSatisfying(
            Map.class, first -> assertThat(first.get("queued")).isEqualTo(true));
    refund(
        "{'all':[{'rule':'queued','key':'a','queued':true},{'rule':'org','key':'a'}],'decidedAt':'%s'}"
            .formatted(answer.textAt("decidedAt")));
    assertThat(List.of(remaining("queued", "a"), remaining("org", "a"))).isEqualTo(List.of(0, 10));
  }

  @Test
  void aLeaseOfACheckSaysWhenItEndsAndCanBeRenewed() {
    Http.Answer first = check("{'rule':'two','key':'a'}").ok();
    assertThat(first.textAt("decidedAt")).isEqualTo("2026-06-01T12:00:00Z");
    assertThat(first.textAt("expiresAt")).isEqualTo("2026-06-01T12:00:30Z");
    assertThat(first.intAt("reset")).isEqualTo(30);
    assertThat(first.at("replayed")).isEqualTo(false);
    clock.set(NOON.plusSeconds(20));
    String renewal =
        json("{'rule':'two','key':'a','leaseId':'%s'}".formatted(first.textAt("leaseId")));
    assertThat(http.post("/api/v1/renew", renewal).ok().textAt("expiresAt"))
        .isEqualTo("2026-06-01T12:00:50Z");
    clock.set(NOON.plusSeconds(49));
    assertThat(remaining("two", "a")).isEqualTo(1);
    clock.set(NOON.plusSeconds(50));
    http.post("/api/v1/renew", renewal).problem(404, "unknown-lease");
    http.post("/api/v1/renew", json("{'rule':'api','key':'a','leaseId':'x'}")).wrong("rule");
    http.post("/api/v1/renew", json("{'rule':'two','key':'a'}")).wrong("leaseId");
  }

  /** Tightening takes nothing away that was granted. */
  @Test
  void aLeaseOfMorePlacesThanItsRuleHasNowIsRenewedAndGivenBack() {
    String lease = check("{'rule':'two','key':'a','cost':2,'requestId':'id'}").textAt("leaseId");
    http.put(
            paths.get("two"),
            json("{'name':'two','algorithm':'CONCURRENCY','maxConcurrent':1,'leaseTtl':'PT30S'}"))
        .ok();
    String held = "{'rule':'two','key':'a','cost':2,'leaseId':'%s'%s}";
    http.post("/api/v1/renew", json(held.formatted(lease, ""))).ok();
    check("{'rule':'two','key':'a'}").refused();
    assertThat(refund(held.formatted(lease, ",'requestId':'id'")).status()).isEqualTo(204);
    check("{'rule':'two','key':'a'}").ok();
  }

  @Test
  void aRefusalByConcurrencySaysWhenItWasDecided() {
    check("{'rule':'two','key':'a','cost':2}").ok();
    Http.Answer refused = check("{'rule':'two','key':'a'}").refused();
    assertThat(refused.textAt("decidedAt")).isNotBlank();
    assertThat(refused.intAt("reset")).isEqualTo(30);
    assertThat(refused.intAt("retryAfter")).isEqualTo(30);
    assertThat(refused.at("replayed")).isEqualTo(false);
    Http.Answer peeked =
        http.post("/api/v1/check", json("{'rule':'two','key':'a','peek':true}")).refused();
    assertThat(peeked.intAt("retryAfter")).isEqualTo(30);
  }

  /** Also if it holds the last place. A lease is renewed, and taken again if it has ended. */
  @Test
  void aRepeatedRequestHasTheLeaseThatItHas() {
    String request = "{'rule':'two','key':'a','cost':2,'requestId':'id'}";
    Http.Answer first = check(request).ok();
    clock.set(NOON.plusSeconds(10));
    Http.Answer again = check(request).ok();
    assertThat(again.at("replayed")).isEqualTo(true);
    assertThat(again.textAt("leaseId")).isEqualTo(first.textAt("leaseId"));
    assertThat(again.textAt("expiresAt")).isEqualTo("2026-06-01T12:00:40Z");
    assertThat(again.textAt("decidedAt")).isEqualTo(first.textAt("decidedAt"));
    check("{'rule':'two','key':'a'}").refused();

    clock.set(NOON.plusSeconds(40));
    assertThat(check(request).ok().textAt("expiresAt")).isEqualTo("2026-06-01T12:01:10Z");
    clock.set(NOON.plusSeconds(70));
    check("{'rule':'two','key':'a'}").ok();
    check(request).refused();
  }

  @Test
  void aRefundByItsIdGivesLeaseAndCountsBackOnce() {
    String request =
        "{'all':[{'rule':'two','key':'a'},{'rule':'api','key':'a'}],'requestId':'id'%s}";
    String leaseId = check(request.formatted("")).ok().textAt("leaseId");
    refund(
            "{'all':[{'rule':'two','key':'a'},{'rule':'api','key':'b'}],'requestId':'id','leaseId':'%s'}"
                .formatted(leaseId))
        .problem(409, "request-id-reused");
    assertThat(List.of(remaining("two", "a"), remaining("api", "a"))).isEqualTo(List.of(1, 2));
    for (int i = 0; i < 2; i++) {
      assertThat(refund(request.formatted(",'leaseId':'%s'".formatted(leaseId))).status())
          .isEqualTo(204);
      assertThat(List.of(remaining("two", "a"), remaining("api", "a"))).isEqualTo(List.of(2, 3));
    }
    assertThat(check(request.formatted("")).ok().at("replayed")).isEqualTo(false);
  }

  /**
   * Of many with one id at the same moment, one takes a place and a count, and all get its result.
   */
  @Test
  void oneIdFromManyAtOnceIsOneLeaseAndOneCount() throws Exception {
    rule("many", "'algorithm':'CONCURRENCY','maxConcurrent':100");
    String request =
        "{'all':[{'rule':'many','key':'a'},{'rule':'api','key':'a'}],'requestId':'id'}";
    List<FutureTask<Http.Answer>> asking = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      asking.add(new FutureTask<>(() -> check(request)));
    }
    asking.forEach(Thread.ofVirtual()::start);
    Set<String> leases = new HashSet<>();
    for (FutureTask<Http.Answer> each : asking) {
      leases.add(each.get().ok().textAt("leaseId"));
    }
    assertThat(leases).hasSize(1);
    assertThat(List.of(remaining("many", "a"), remaining("api", "a"))).isEqualTo(List.of(99, 2));
  }
}
