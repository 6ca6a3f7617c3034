package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.time.Instant;
import java.time.InstantSource;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The memory of a node cannot hold another key of a rule. */
final class StoreFullIT {
  /** The share of one rule, in a store of 1,000 keys. */
  private static final int SHARE = 500;

  /** The share of the next rule, in what the first one leaves. */
  private static final int NEXT_SHARE = 250;

  private static final int KEYS_AT_ONCE = 25;

  private TestNode.Served node;
  private Http http;

  @BeforeEach
  void start() {
    node = TestNode.onClock(InstantSource.fixed(Instant.parse("2026-06-01T12:00:00Z")));
    http = new Http(node.address());
    rule("closed", "");
    rule("open", ",\"onStoreFailure\":\"open\"");
    for (int from = 0; from < SHARE; from += KEYS_AT_ONCE) {
      String all =
          IntStream.range(from, from + KEYS_AT_ONCE)
              .mapToObj("{\"rule\":\"closed\",\"key\":\"k%d\"}"::formatted)
              .collect(Collectors.joining(","));
      http.post("/api/v1/check", "{\"all\":[%s]}".formatted(all)).ok();
    }
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private void rule(String name, String more) {
    http.post(
        "/api/admin/rules",
        "{\"name\":\"%s\",\"allowedRequests\":2,\"windowSeconds\":60%s}".formatted(name, more));
  }

  private Http.Answer check(String rule, String key) {
    return http.post("/api/v1/check", "{\"rule\":\"%s\",\"key\":\"%s\"}".formatted(rule, key));
  }

  @Test
  void aNewKeyIsToldThatTheMemoryIsFullAndOthersAreCountedAsEver() {
    Http.Answer full = check("closed", "new").problem(503, "store-full");
    assertThat(full.textAt("detail"))
        .contains("full")
        .contains("500 keys")
        .doesNotContain("atabase");
    assertThat(full.header("retry-after")).isPresent();
    check("closed", "k7").ok();
    check("closed", "k7").refused();
  }

  @Test
  void keysOfOtherRulesAreCounted() {
    assertThat(check("open", "user").ok().textAt("mode")).isEqualTo("store");
  }

  @Test
  void aRuleThatIsOpenLetsPass() {
    for (int i = 0; i < NEXT_SHARE; i++) {
      assertThat(check("open", "k" + i).ok().textAt("mode")).isEqualTo("store");
    }
    for (int i = 0; i < 5; i++) {
      assertThat(check("open", "new").ok().textAt("mode")).isEqualTo("open");
    }
    http.post(
            "/api/v1/check",
            "{\"all\":[{\"rule\":\"open\",\"key\":\"n\"},{\"rule\":\"closed\",\"key\":\"n\"}]}")
        .problem(503, "store-full");
  }
}
