package dev.weir.server.refusals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.problems.Problem;
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

/** What the gateway and the authorization of proxies answer to a refusal. */
final class LimitProblemsTest {
  @Test
  void limitThatMayNotBeExceededIsNotCalledExceeded() {
    for (AcquireResult.Mode mode : AcquireResult.Mode.values()) {
      Problem unknown = problem(mode, true);
      assertThat(unknown.status()).as(mode.name()).isEqualTo(503);
      assertThat(unknown.kind()).isEqualTo("store-unavailable");
      assertThat(text(unknown)).contains("\"outcome\":\"unknown\"");
      boolean isClosed = mode == AcquireResult.Mode.CLOSED;
      Problem known = problem(mode, false);
      assertThat(known.status()).as(mode.name()).isEqualTo(isClosed ? 503 : 429);
      if (isClosed) {
        assertThat(text(known)).contains("\"outcome\":\"none\"");
      }
    }
  }

  private static String text(Problem problem) {
    return new String(problem.toJson(), StandardCharsets.UTF_8);
  }

  private static Problem problem(AcquireResult.Mode mode, boolean isOutcomeUnknown) {
    MemoryRules rules = new MemoryRules(InstantSource.system());
    rules.create(RuleSpec.of("r", Quota.Rate.of(FixedWindow.of(1, Duration.ofMinutes(1)))), "test");
    LimitedRule rule = Objects.requireNonNull(new RuleIndex(rules, RuleObserver.NONE).find("r"));
    RuleResult result =
        new RuleResult(new RuleCheck(rule, "k", 1), new Decision.Refused(0, 200_000, 200_000));
    return LimitProblems.of(
        new Verdict.Refused(List.of(result), mode, Optional.empty(), isOutcomeUnknown));
  }
}
