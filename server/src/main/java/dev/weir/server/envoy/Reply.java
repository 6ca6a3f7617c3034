package dev.weir.server.envoy;

import dev.weir.internal.Micros;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Outcome;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleResult;
import dev.weir.rules.Verdict;
import dev.weir.rules.VerdictFields;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the response to a call: one status per descriptor, in order, and the headers to add. */
final class Reply {
  private static final long MAX_UNSIGNED = 0xFFFF_FFFFL;
  private static final int NANOS_OF_A_MICRO = 1_000;
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final long WEEK = 7 * DAY;

  private Reply() {}

  /**
   * Returns the response to a call.
   *
   * @param givenBack the state of the rules that something was given back to
   */
  static RateLimitResponse of(
      List<DescriptorRequest> requests, Verdict verdict, List<RuleResult> givenBack) {
    boolean isRefused = verdict instanceof Verdict.Refused;
    RateLimitResponse.Builder reply =
        RateLimitResponse.newBuilder().setOverallCode(isRefused ? Code.OVER_LIMIT : Code.OK);
    for (DescriptorRequest request : requests) {
      reply.addStatuses(
          switch (request.kind()) {
            case TAKE, PEEK -> status(request, verdict.results(), isRefused);
            case GIVE_BACK -> status(request, givenBack, false);
            case REFUSE -> status(request, verdict.results(), true).setCode(Code.OVER_LIMIT);
          });
    }
    VerdictFields.add((name, value) -> reply.addResponseHeadersToAdd(field(name, value)), verdict);
    return reply.build();
  }

  private static HeaderValue field(String name, String value) {
    return HeaderValue.newBuilder().setKey(name).setValue(value).build();
  }

  private static DescriptorStatus.Builder status(
      DescriptorRequest request, List<RuleResult> all, boolean isRefused) {
    DescriptorStatus.Builder status = DescriptorStatus.newBuilder().setCode(Code.OK);
    RuleResult result = tightest(request, all, isRefused);
    if (result == null) {
      return status;
    }
    Outcome decision = result.outcome();
    if (isRefused && !decision.isAllowed()) {
      status.setCode(Code.OVER_LIMIT);
    }
    long resetMicros = decision.resetMicros();
    return status
        .setCurrentLimit(limit(result.rule()))
        .setLimitRemaining(unsigned(decision.remaining()))
        .setDurationUntilReset(
            com.google.protobuf.Duration.newBuilder()
                .setSeconds(resetMicros / Micros.PER_SECOND)
                .setNanos((int) (resetMicros % Micros.PER_SECOND) * NANOS_OF_A_MICRO));
  }

  /**
   * Returns the result that determines the status of a descriptor: a rule that refuses, otherwise
   * the rule with the least remaining.
   */
  private static @Nullable RuleResult tightest(
      DescriptorRequest request, List<RuleResult> all, boolean isRefused) {
    RuleResult tightest = null;
    for (RuleCheck check : request.checks()) {
      RuleResult result = find(all, check);
      if (result == null) {
        continue;
      }
      if (tightest == null || isTighter(result.outcome(), tightest.outcome(), isRefused)) {
        tightest = result;
      }
    }
    return tightest;
  }

  private static boolean isTighter(Outcome one, Outcome other, boolean isRefused) {
    return (isRefused && one.isAllowed() != other.isAllowed())
        ? other.isAllowed()
        : one.remaining() < other.remaining();
  }

  /** Returns the result of a check, or null for a shadow rule, which has none. */
  private static @Nullable RuleResult find(List<RuleResult> all, RuleCheck check) {
    for (RuleResult result : all) {
      if (result.rule() == check.rule() && result.check().key().equals(check.key())) {
        return result;
      }
    }
    return null;
  }

  private static RateLimit limit(LimitedRule rule) {
    RateLimit.Builder limit =
        RateLimit.newBuilder().setName(rule.name()).setRequestsPerUnit(unsigned(rule.maxCost()));
    if (rule.kind() instanceof LimitedRule.Counted counted) {
      limit.setUnit(
          switch (counted.policy().limit()) {
            case FixedWindow window -> unit(window.windowMicros());
            case SlidingWindow window -> unit(window.windowMicros());
            case TokenBucket bucket -> RateLimit.Unit.UNKNOWN;
          });
    }
    return limit.build();
  }

  /** Returns the unit of a window; Envoy has none for windows of other lengths. */
  private static RateLimit.Unit unit(long windowMicros) {
    if (windowMicros % Micros.PER_SECOND != 0) {
      return RateLimit.Unit.UNKNOWN;
    }
    long seconds = windowMicros / Micros.PER_SECOND;
    if (seconds == 1) {
      return RateLimit.Unit.SECOND;
    } else if (seconds == MINUTE) {
      return RateLimit.Unit.MINUTE;
    } else if (seconds == HOUR) {
      return RateLimit.Unit.HOUR;
    } else if (seconds == DAY) {
      return RateLimit.Unit.DAY;
    }
    return seconds == WEEK ? RateLimit.Unit.WEEK : RateLimit.Unit.UNKNOWN;
  }

  private static int unsigned(long value) {
    return (int) Math.min(value, MAX_UNSIGNED);
  }
}
