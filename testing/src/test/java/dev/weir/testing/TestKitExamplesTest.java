package dev.weir.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Leases;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.Verdict;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs what {@code docs/testing.md} shows, and compares it with the page. */
class TestKitExamplesTest {
  @Test
  void thePageShowsWhatIsRunHere() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/weir/testing/TestKitExamplesTest.java"));
    String page = Files.readString(Path.of("../docs/testing.md"));
    Matcher example =
        Pattern.compile(" {4}// docs: (?!end)[^\\n]*\\n(.*?) {4}// docs: end", Pattern.DOTALL)
            .matcher(source);
    int examples = 0;
    while (example.find()) {
      String shown = example.group(1).stripTrailing().stripIndent();
      assertThat(page).contains("```java\n" + shown + "\n```");
      examples++;
    }
    assertThat(examples).isEqualTo(4);
  }

  @Test
  void limits() {
    // docs: limits
    TestClock clock = TestClock.at("2026-06-01T12:00:00Z");
    Limiter limiter = Limiter.inMemory(clock);
    Policy sms = Policy.of("sms", TokenBucket.of(1, Duration.ofMinutes(1)));
    assertThat(limiter.tryAcquire(sms, "anna")).isTrue();
    assertThat(limiter.tryAcquire(sms, "anna")).isFalse();
    clock.advance(Duration.ofMinutes(1));
    assertThat(limiter.tryAcquire(sms, "anna")).isTrue();
    // docs: end
  }

  @Test
  void leases() {
    TestClock clock = TestClock.at("2026-06-01T12:00:00Z");
    // docs: leases
    Leases leases = Leases.inMemory(clock);
    Concurrency one = Concurrency.of(1, Duration.ofSeconds(30));
    assertThat(leases.acquire("printer", one)).isInstanceOf(Leases.Acquired.class);
    assertThat(leases.acquire("printer", one)).isInstanceOf(Leases.Full.class);
    clock.advance(Duration.ofSeconds(30)); // its holder has crashed
    assertThat(leases.acquire("printer", one)).isInstanceOf(Leases.Acquired.class);
    // docs: end
  }

  @Test
  void slots() {
    TestClock clock = TestClock.at("2026-06-01T12:00:00Z");
    // docs: slots
    try (SlotScheduler slots = SlotScheduler.inMemory(clock)) {
      slots.configure("bank", SlotPolicy.of(1, Duration.ofSeconds(4)));
      assertThat(slots.assign("pay-1", "bank").scheduledTime()).isEqualTo(clock.instant());
      assertThat(slots.assign("pay-2", "bank").delay()).isEqualTo(Duration.ofSeconds(4));
    }
    // docs: end
  }

  @Test
  void rules() {
    TestClock clock = TestClock.at("2026-06-01T12:00:00Z");
    // docs: rules
    Quota hundred = Quota.Rate.of(FixedWindow.of(100, Duration.ofMinutes(1)));
    TestRules rules = TestRules.on(clock, RuleSpec.of("api", hundred));
    for (int i = 0; i < 100; i++) {
      assertThat(rules.check("api", "anna")).isInstanceOf(Verdict.Passed.class);
    }
    assertThat(rules.check("api", "anna")).isInstanceOf(Verdict.Refused.class);
    assertThat(rules.check("api", "bert")).isInstanceOf(Verdict.Passed.class);
    // docs: end
  }

  @Test
  void theClockGoesBackToo() {
    TestClock clock = TestClock.at(Instant.EPOCH);

    assertThat(clock.advance(Duration.ofSeconds(-1))).isEqualTo(Instant.EPOCH.minusSeconds(1));
    clock.set(Instant.EPOCH.plusSeconds(5));
    assertThat(clock.millis()).isEqualTo(5_000);
  }
}
