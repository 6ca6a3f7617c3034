package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseHistory;
import dev.weir.register.EntryVersion;
import dev.weir.rules.spec.Quota;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class FormerLeasesTest extends RuleEvaluatorScene {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private final List<EntryVersion<Rule>> versions = new ArrayList<>();

  @Test
  void longerLeasesAreHeldUntilTheyEndAfterTheirVersionWasReplaced() {
    version(0, leases(Duration.ofHours(2)));
    version(10, leases(Duration.ofHours(1)));
    version(20, leases(Duration.ofMinutes(1)));
    // The first version was replaced after 10 minutes, the second one after 20.
    assertThat(heldUntil()).contains(NOON.plus(Duration.ofMinutes(130)));
  }

  @Test
  void longerLeasesAreRememberedAcrossVersionsThatGrantedNone() {
    version(0, leases(Duration.ofHours(2)));
    version(10, Quota.Rate.of(FixedWindow.of(1, Duration.ofHours(9))));
    version(20, leases(Duration.ofMinutes(1)));
    assertThat(heldUntil()).contains(NOON.plus(Duration.ofMinutes(130)));
  }

  @Test
  void leasesThatWereNeverLongerNeedNoMemory() {
    version(0, leases(Duration.ofMinutes(1)));
    version(10, leases(Duration.ofHours(1)));
    assertThat(heldUntil()).isEmpty();
  }

  @Test
  void leasesThatMustHaveEndedBeforeTheTimeBecameLongerAreNotWaitedFor() {
    version(0, leases(Duration.ofMinutes(1)));
    assertThat(history().createdAt()).contains(NOON);
    version(10, leases(Duration.ofHours(1)));
    assertThat(history().createdAt()).contains(NOON.plus(Duration.ofMinutes(9)));
    version(20, leases(Duration.ofHours(2)));
    assertThat(history().createdAt())
        .as("leases of an hour may be held")
        .contains(NOON.plus(Duration.ofMinutes(9)));
    version(200, Quota.Rate.of(FixedWindow.of(1, Duration.ofHours(9))));
    version(210, leases(Duration.ofHours(1)));
    assertThat(history().createdAt())
        .as("leases of two hours may be held")
        .contains(NOON.plus(Duration.ofMinutes(80)));
    assertThat(history().heldUntil()).contains(NOON.plus(Duration.ofMinutes(320)));
  }

  private static Quota leases(Duration ttl) {
    return new Quota.Concurrent(Concurrency.of(2, ttl));
  }

  private void version(int minutes, Quota quota) {
    Rule rule =
        new Rule(
            1,
            versions.size() + 1,
            rule("r", "/**", quota),
            NOON,
            NOON.plus(Duration.ofMinutes(minutes)));
    versions.addFirst(new EntryVersion<>(rule, "test", false));
  }

  private Optional<Instant> heldUntil() {
    return history().heldUntil();
  }

  private LeaseHistory history() {
    return FormerLeases.history(versions.getFirst().entry(), versions);
  }
}
