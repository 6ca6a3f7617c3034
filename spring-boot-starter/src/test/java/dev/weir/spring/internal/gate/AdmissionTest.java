package dev.weir.spring.internal.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.RuleObserver;
import dev.weir.rules.RuleResult;
import dev.weir.rules.Verdict;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class AdmissionTest {
  @Test
  void ruleThatIsClosedWithoutItsStoreIsNotCalledExceeded() {
    assertThat(refused(AcquireResult.Mode.STORE).problem().status()).isEqualTo(429);
    Admission.Refused closed = refused(AcquireResult.Mode.CLOSED);
    assertThat(closed.problem().status()).isEqualTo(503);
    assertThat(closed.fields()).extracting(Admission.Field::name).containsExactly("Retry-After");
  }

  @Test
  void requestThatMayHaveBeenCountedIsNotCalledUncounted() {
    assertThat(text(refused(AcquireResult.Mode.CLOSED, false)))
        .contains("Nothing was done", "\"outcome\":\"none\"");
    assertThat(text(refused(AcquireResult.Mode.CLOSED, true)))
        .contains("Whether it was counted is unknown", "\"outcome\":\"unknown\"")
        .doesNotContain("Nothing was done");
  }

  /** The answer of the store was lost, and then this node or the next store refused. */
  @Test
  void limitThatMayNotBeExceededIsNotCalledExceeded() {
    for (AcquireResult.Mode mode : List.of(AcquireResult.Mode.LOCAL, AcquireResult.Mode.FALLBACK)) {
      assertThat(refused(mode, false).problem().status()).isEqualTo(429);
      Admission.Refused unknown = refused(mode, true);
      assertThat(unknown.problem().status()).isEqualTo(503);
      assertThat(text(unknown)).contains("\"outcome\":\"unknown\"");
      assertThat(unknown.fields()).extracting(Admission.Field::name).containsExactly("Retry-After");
    }
  }

  private static String text(Admission.Refused refused) {
    return new String(refused.problem().bytes(), StandardCharsets.UTF_8);
  }

  private static Admission.Refused refused(AcquireResult.Mode mode) {
    return refused(mode, false);
  }

  private static Admission.Refused refused(AcquireResult.Mode mode, boolean isOutcomeUnknown) {
    MemoryRules rules = new MemoryRules(InstantSource.system());
    rules.create(RuleSpec.of("r", Quota.Rate.of(FixedWindow.of(1, Duration.ofMinutes(1)))), "test");
    LimitedRule rule = Objects.requireNonNull(new RuleIndex(rules, RuleObserver.NONE).find("r"));
    RuleResult result =
        new RuleResult(new RuleCheck(rule, "k", 1), new Decision.Refused(0, 200_000, 200_000));
    return (Admission.Refused)
        Admission.of(
            new Verdict.Refused(List.of(result), mode, Optional.empty(), isOutcomeUnknown));
  }
}
