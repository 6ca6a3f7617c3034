package dev.weir.client;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The result of a check. */
public sealed interface CheckResult {
  /**
   * The caller may proceed.
   *
   * @param request what was granted, for a refund
   * @param waited the time in a queue; zero for rules without one
   * @param replayed true if it was granted before by the same request id, and took nothing now
   * @param decidedAt the time by the store's clock; empty if no store decided
   * @param lease the lease of a rule of concurrency
   */
  record Allowed(
      CheckRequest request,
      List<RuleState> rules,
      Mode mode,
      Duration waited,
      boolean replayed,
      Optional<Instant> decidedAt,
      Optional<GrantedLease> lease)
      implements CheckResult {
    public Allowed {
      rules = List.copyOf(rules);
    }
  }

  /**
   * The caller may not proceed, and nothing was taken.
   *
   * @param retryAfter the time after which the same request is granted if nothing is taken until
   *     then
   */
  record Refused(Duration retryAfter, List<RuleState> rules, Mode mode, Problem problem)
      implements CheckResult {
    public Refused {
      rules = List.copyOf(rules);
    }
  }

  /**
   * There is no decision: no answer came, or the rules are closed while their store does not
   * answer. The caller decides whether to proceed.
   */
  record Undecided(WeirException failure) implements CheckResult {
    /** Returns {@link Outcome#UNKNOWN} if it may have been counted. */
    public Outcome outcome() {
      return failure.outcome();
    }
  }

  /**
   * What one of the rules says.
   *
   * @param remaining what is left; empty if the rule was not asked
   * @param reset the time until more is left; zero if all is
   * @param queued of a rule with a queue, whether the request waited and took nothing of the limit
   */
  record RuleState(
      String rule,
      String key,
      boolean allowed,
      OptionalLong remaining,
      Optional<Duration> reset,
      Optional<Boolean> queued) {}

  /**
   * A lease of a check, which is given back by a refund.
   *
   * @param expiresAt when it ends if it is not renewed
   */
  record GrantedLease(String id, Instant expiresAt) {}

  /** Reads the answer to a check that was granted. */
  static Allowed allowed(CheckRequest request, JsonObject json) throws IOException {
    Optional<String> leaseId = json.text("leaseId");
    List<RuleState> rules = rules(json);
    if (rules.size() != request.demands().size()) {
      throw new IOException(
          "it returned %d rules, not %d".formatted(rules.size(), request.demands().size()));
    }
    return new Allowed(
        request,
        rules,
        json.requiredConstant("mode", Mode.values()),
        json.number("delayMs").map(Duration::ofMillis).orElse(Duration.ZERO),
        json.flag("replayed"),
        json.time("decidedAt"),
        leaseId.isPresent()
            ? Optional.of(new GrantedLease(leaseId.get(), json.requiredTime("expiresAt")))
            : Optional.empty());
  }

  /** Reads the answer to a check that was refused. */
  static Refused refused(Problem problem, Optional<Duration> retryAfter) throws IOException {
    JsonObject json = problem.json();
    return new Refused(
        json.seconds("retryAfter").or(() -> retryAfter).orElse(Duration.ZERO),
        rules(json),
        json.requiredConstant("mode", Mode.values()),
        problem);
  }

  private static List<RuleState> rules(JsonObject json) throws IOException {
    List<JsonObject> all = json.objects("all");
    List<RuleState> rules = new ArrayList<>();
    for (JsonObject one : all.isEmpty() ? List.of(json) : all) {
      rules.add(
          new RuleState(
              one.requiredText("rule"),
              one.requiredText("key"),
              one.flag("allowed"),
              one.number("remaining").map(OptionalLong::of).orElseGet(OptionalLong::empty),
              one.seconds("reset"),
              one.bool("queued")));
    }
    return rules;
  }
}
