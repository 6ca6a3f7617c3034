package dev.weir.server.rules;

import dev.weir.http.fields.Fields;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.LimitNames;
import dev.weir.limits.LimitRequest;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleIndex;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;

/**
 * A request to check rules.
 *
 * @param isAll true if it is a list, and its response is a list too
 * @param requestId the request id; empty for none
 */
record CheckRequest(List<RuleCheck> checks, boolean isAll, String requestId, boolean isPeek) {
  /** The maximum number of rules that a caller may name in one check. */
  static final int MAX_CHECKS = 32;

  /** The max cost where no other applies, such as of a rule that does not exist. */
  private static final long ANY_COST = Long.MAX_VALUE;

  static boolean isLease(RuleCheck check) {
    return check.rule().kind() instanceof LimitedRule.Leased;
  }

  /** Returns the request to a store of counters; empty for a rule that grants leases. */
  static Optional<LimitRequest> limitRequest(RuleCheck check) {
    return check.rule().kind() instanceof LimitedRule.Counted counted
        ? Optional.of(new LimitRequest(counted.policy(), check.key(), check.cost()))
        : Optional.empty();
  }

  /**
   * Reads a check.
   *
   * @throws ProblemException if it is invalid, naming every invalid field; or if a rule is unknown
   */
  static CheckRequest read(Fields fields, RuleIndex index) {
    boolean isPeek = fields.flag("peek").orElse(false);
    CheckRequest request = readChecks(fields, index, isPeek);
    if (isPeek && !request.requestId().isEmpty()) {
      fields.wrong("requestId", "must be left out where peek is true");
    }
    fields.refuseOthers();
    fields.throwIfWrong();
    return request;
  }

  /** Reads the checks. Callers may read more fields, and must throw the violations. */
  static CheckRequest readChecks(Fields fields, RuleIndex index, boolean isPeek) {
    return readChecks(fields, index, isPeek, LimitedRule::maxCost, (item, check) -> {});
  }

  /**
   * Reads checks that were granted earlier. A lease may have more places than its rule would grant
   * now.
   *
   * @param more reads more fields of each item
   */
  static CheckRequest readGranted(
      Fields fields, RuleIndex index, BiConsumer<Fields, RuleCheck> more) {
    return readChecks(
        fields,
        index,
        false,
        rule -> rule.kind() instanceof LimitedRule.Leased ? ANY_COST : rule.maxCost(),
        more);
  }

  private static CheckRequest readChecks(
      Fields fields,
      RuleIndex index,
      boolean isPeek,
      ToLongFunction<LimitedRule> maxCost,
      BiConsumer<Fields, RuleCheck> more) {
    List<String> unknown = new ArrayList<>();
    List<RuleCheck> checks = new ArrayList<>();
    boolean isAll = fields.has("all");
    if (isAll) {
      List<Fields> items = fields.objects("all", 1, MAX_CHECKS).orElse(List.of());
      if (!fields.isWrong("all")) {
        for (Fields item : items) {
          one(item, index, unknown, maxCost, more).ifPresent(checks::add);
          item.refuseOthers();
        }
      }
      refuseRepeated(fields, checks);
    } else {
      one(fields, index, unknown, maxCost, more).ifPresent(checks::add);
    }
    Optional<String> requestId = fields.text("requestId");
    requestId.flatMap(LimitNames::problem).ifPresent(problem -> fields.wrong("requestId", problem));
    if (!unknown.isEmpty() && !fields.isWrong()) {
      throw unknownRule(unknown.getFirst());
    }
    return new CheckRequest(checks, isAll, requestId.orElse(""), isPeek);
  }

  private static Optional<RuleCheck> one(
      Fields fields,
      RuleIndex index,
      List<String> unknown,
      ToLongFunction<LimitedRule> maxCost,
      BiConsumer<Fields, RuleCheck> more) {
    Optional<String> name = fields.required("rule", fields.text("rule"));
    Optional<String> key = fields.required("key", fields.text("key"));
    key.flatMap(LimitNames::problem).ifPresent(problem -> fields.wrong("key", problem));
    Optional<LimitedRule> rule = name.map(index::find);
    if (name.isPresent() && rule.isEmpty()) {
      unknown.add(name.get());
    }
    long max = rule.map(maxCost::applyAsLong).orElse(ANY_COST);
    long cost = fields.whole("cost", 1, max).orElse(1L);
    if (rule.isEmpty() || key.isEmpty() || fields.isWrong("cost")) {
      return Optional.empty();
    }
    RuleCheck check = new RuleCheck(rule.get(), key.get(), cost);
    more.accept(fields, check);
    return Optional.of(check);
  }

  private static void refuseRepeated(Fields fields, List<RuleCheck> checks) {
    Set<List<String>> seen = new HashSet<>();
    for (RuleCheck check : checks) {
      if (!seen.add(List.of(check.rule().name(), check.key()))) {
        fields.wrong(
            "all",
            "must not check rule \"%s\" and key \"%s\" twice"
                .formatted(check.rule().name(), Snippet.of(check.key())));
        return;
      }
    }
  }

  static ProblemException unknownRule(String name) {
    return new ProblemException(
        Problem.of(404, "unknown-rule", "There is no rule \"%s\".".formatted(Snippet.of(name))));
  }
}
