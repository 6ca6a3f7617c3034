package dev.weir.rules;

import dev.weir.limits.Decision;
import dev.weir.limits.Outcome;
import dev.weir.rules.text.RateLimitFields;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/** The header fields of the response to a request that rules have decided. */
public final class VerdictFields {
  private static final String QUEUED = "X-RateLimit-Queued";
  private static final String DELAY = "X-RateLimit-Delay-Ms";
  private static final long MICROS_PER_MILLI = 1_000;

  private VerdictFields() {}

  /**
   * Adds all fields of a response; none if no rule applied, and only the time to wait if the state
   * of the limits is not known.
   */
  public static void add(BiConsumer<String, String> headers, Verdict verdict) {
    List<RuleResult> results = verdict.results();
    if (results.isEmpty()) {
      return;
    }
    if (verdict instanceof Verdict.Refused refused && refused.isUndecided()) {
      RateLimitFields.addRetryAfter(headers, refused.retryAfterMicros());
      return;
    }
    if (results.size() == 1) {
      RateLimitFields.add(headers, state(results.getFirst()));
    } else {
      RateLimitFields.add(headers, results.stream().map(VerdictFields::state).toList());
    }
    switch (verdict) {
      case Verdict.Passed passed -> {}
      case Verdict.Reused reused -> {}
      case Verdict.Queued queued -> {
        headers.accept(QUEUED, "true");
        headers.accept(DELAY, Long.toString(Math.ceilDiv(queued.delayMicros(), MICROS_PER_MILLI)));
      }
      case Verdict.Refused refused ->
          RateLimitFields.addRetryAfter(headers, refused.retryAfterMicros());
    }
  }

  private static RateLimitFields.PolicyState state(RuleResult result) {
    Outcome outcome = result.outcome();
    return new RateLimitFields.PolicyState(
        result.rule().text(),
        result.check().key(),
        outcome.remaining(),
        result.rule().kind() instanceof LimitedRule.Leased
            ? OptionalLong.empty()
            : OptionalLong.of(outcome.resetMicros()),
        outcome instanceof Decision.Refused);
  }
}
