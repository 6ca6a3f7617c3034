package dev.weir.engine.rules;

import static dev.weir.engine.rules.Allowance.Together.SHORTEST_LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.Micros;
import dev.weir.core.limits.Concurrency;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Leases by rules are held and renewed as long as a request takes, and no longer. */
final class RuleLeasesTest extends RuleDeskScene {
  @Test
  void leasesAreHeldUntilTheTicketIsClosed() {
    make(rule("two", "/**", new Allowance.Together(Concurrency.of(2, Duration.ofSeconds(30)))));
    Verdict one = desk.decide(get("/a"));
    passes(get("/a"));
    assertThat(refuses(get("/a")).violated()).containsExactly("two");
    ((Verdict.Passed) one).ticket().close();
    ((Verdict.Passed) one).ticket().close();
    passes(get("/a"));
    refuses(get("/a"));
  }

  @Test
  void leasesOfRequestsThatTakeLongAreRenewedAndOthersEnd() {
    make(rule("one", "/**", new Allowance.Together(Concurrency.of(1, Duration.ofSeconds(30)))));
    Verdict.Passed held = (Verdict.Passed) desk.decide(get("/a"));
    nowMicros.addAndGet(20_000_000);
    desk.renewLeases();
    nowMicros.addAndGet(20_000_000);
    refuses(get("/a"));
    held.ticket().close();
    desk.renewLeases();
    passes(get("/a"));
    nowMicros.addAndGet(31_000_000);
    passes(get("/a"));
  }

  @Test
  void evenTheShortestLeaseIsRenewedInTime() {
    make(
        rule("short", "/**", new Allowance.Together(Concurrency.of(1, SHORTEST_LEASE))),
        rule("long", "/b", new Allowance.Together(Concurrency.of(1, Duration.ofHours(1)))));
    Verdict.Passed held = (Verdict.Passed) desk.decide(get("/b"));
    for (int i = 0; i < 100; i++) {
      nowMicros.addAndGet(Micros.floor(RuleDesk.BETWEEN_RENEWALS));
      desk.renewLeases();
      refuses(get("/a"));
    }
    held.ticket().close();
    passes(get("/a"));
  }

  @Test
  void aLeaseIsRenewedOnlyAfterAThirdOfItsTime() {
    make(rule("one", "/**", new Allowance.Together(Concurrency.of(1, Duration.ofSeconds(30)))));
    passes(get("/a"));
    nowMicros.addAndGet(9_999_999);
    desk.renewLeases();
    nowMicros.addAndGet(20_000_001);
    passes(get("/a"));
    nowMicros.addAndGet(10_000_000);
    desk.renewLeases();
    nowMicros.addAndGet(20_000_001);
    refuses(get("/a"));
  }

  @Test
  void leasesTooShortToBeRenewedAreRefused() {
    assertThatThrownBy(
            () ->
                new Allowance.Together(
                    Concurrency.of(1, SHORTEST_LEASE.minus(Duration.ofNanos(1000)))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ttl must be at least PT1S, not PT0.999999S");
  }

  @Test
  void aRefusalGivesLeasesBack() {
    make(
        rule("lease", "/**", new Allowance.Together(Concurrency.of(2, Duration.ofSeconds(30)))),
        rule("rate", "/**", rate(1)));
    passes(get("/a"));
    refuses(get("/a"));
    refuses(get("/a"));
    assertThat(refuses(get("/a")).violated()).containsExactly("rate");
  }
}
