package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A rule that is changed settles the past first. */
final class ChangedRuleIT {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

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

  private static String rule(String algorithm, int seconds) {
    return "{\"name\":\"%s\",\"algorithm\":\"%s\",\"allowedRequests\":5,\"windowSeconds\":%d}"
        .formatted(algorithm, algorithm, seconds);
  }

  private Http.Answer check(String rule, String key, int cost) {
    return http.post(
        "/api/v1/check", "{\"rule\":\"%s\",\"key\":\"%s\",\"cost\":%d}".formatted(rule, key, cost));
  }

  @Test
  void tightenedRuleStaysUsedForTheNewWindowEvenIfNothingIsRequestedMeanwhile() {
    for (String algorithm : List.of("FIXED_WINDOW", "SLIDING_WINDOW")) {
      clock.set(NOON);
      String path =
          "/api/admin/rules/" + http.post("/api/admin/rules", rule(algorithm, 5)).intAt("id");
      for (int seconds : new int[] {30, 130, 599}) {
        check(algorithm, "k" + seconds, 5).ok();
      }
      clock.set(NOON.plusSeconds(4));
      http.put(path, rule(algorithm, 600)).ok();
      for (int seconds : new int[] {30, 130, 599}) {
        clock.set(NOON.plusSeconds(seconds));
        check(algorithm, "k" + seconds, 1).refused();
      }
      clock.set(NOON.plusSeconds(1_200));
      assertThat(check(algorithm, "k30", 5).ok().intAt("remaining")).isZero();
    }
  }
}
