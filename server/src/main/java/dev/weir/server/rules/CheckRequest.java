package dev.weir.server.rules;

import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.LimitNames;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.rules.LimitedRule;
import dev.weir.engine.rules.RuleCheck;
import dev.weir.engine.rules.RuleIndex;
import dev.weir.server.http.Fields;
import dev.weir.server.http.Problem;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.Snippet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A request to check rules.
 *
 * @param isAll true if it is a list, and its response is a list too
 * @param requestId the request id; empty for none
 */
record CheckRequest(List<RuleCheck> asked, boolean isAll, String requestId, boolean isPeek) {
  private static final long UNKNOWN_MOST = Long.MAX_VALUE;

  /** Returns true if it checks a rule that grants leases. */
  boolean hasLeases() {
    for (RuleCheck each : asked) {
      if (isLease(each)) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if all rules that it checks grant leases. */
  boolean isOnlyLeases() {
    return !asked.isEmpty() && asked.stream().allMatch(CheckRequest::isLease);
  }

  static boolean isLease(RuleCheck asked) {
    return asked.rule().means() instanceof LimitedRule.Leased;
  }

  /** Returns the request to a store of counters; empty for a rule that grants leases. */
  static Optional<LimitRequest> ask(RuleCheck asked) {
    return asked.rule().means() instanceof LimitedRule.Counted counted
        ? Optional.of(new LimitRequest(counted.policy(), asked.key(), asked.cost()))
        : Optional.empty();
  }

  /**
   * Reads a check.
   *
   * @throws ProblemException if it is invalid, naming every invalid field; or if a rule is unknown
   */
  static CheckRequest read(Fields fields, RuleIndex book) {
    boolean isPeek = fields.flag("peek").orElse(false);
    CheckRequest request = readAsked(fields, book, isPeek);
    if (isPeek && !request.requestId().isEmpty()) {
      fields.wrong("requestId", "must be left out where peek is true");
    }
    fields.refuseOthers();
    fields.throwIfWrong();
    return request;
  }

  /** Reads the checks. Callers may read more fields, and must throw the violations. */
  static CheckRequest readAsked(Fields fields, RuleIndex book, boolean isPeek) {
    return readAsked(fields, book, isPeek, (item, asked) -> {});
  }

  /**
   * Reads the checks.
   *
   * @param more reads more fields of each item
   */
  static CheckRequest readAsked(
      Fields fields, RuleIndex book, boolean isPeek, BiConsumer<Fields, RuleCheck> more) {
    List<String> unknown = new ArrayList<>();
    List<RuleCheck> asked = new ArrayList<>();
    boolean isAll = fields.has("all");
    if (isAll) {
      List<Fields> items = fields.objects("all", 1, AcquireRequest.MAX_PARTS).orElse(List.of());
      if (!fields.isWrong("all")) {
        for (Fields item : items) {
          one(item, book, unknown, more).ifPresent(asked::add);
          item.refuseOthers();
        }
      }
      refuseRepeated(fields, asked);
    } else {
      one(fields, book, unknown, more).ifPresent(asked::add);
    }
    Optional<String> requestId = fields.text("requestId");
    requestId.flatMap(LimitNames::problem).ifPresent(problem -> fields.wrong("requestId", problem));
    if (!unknown.isEmpty() && !fields.isWrong()) {
      throw unknownRule(unknown.getFirst());
    }
    return new CheckRequest(asked, isAll, requestId.orElse(""), isPeek);
  }

  private static Optional<RuleCheck> one(
      Fields fields, RuleIndex book, List<String> unknown, BiConsumer<Fields, RuleCheck> more) {
    Optional<String> name = fields.required("rule", fields.text("rule"));
    Optional<String> key = fields.required("key", fields.text("key"));
    key.flatMap(LimitNames::problem).ifPresent(problem -> fields.wrong("key", problem));
    Optional<LimitedRule> rule = name.map(book::find);
    if (name.isPresent() && rule.isEmpty()) {
      unknown.add(name.get());
    }
    long most = rule.map(known -> known.maxCost()).orElse(UNKNOWN_MOST);
    long cost = fields.whole("cost", 1, most).orElse(1L);
    if (rule.isEmpty() || key.isEmpty() || fields.isWrong("cost")) {
      return Optional.empty();
    }
    RuleCheck asked = new RuleCheck(rule.get(), key.get(), cost);
    more.accept(fields, asked);
    return Optional.of(asked);
  }

  private static void refuseRepeated(Fields fields, List<RuleCheck> asked) {
    Set<List<String>> seen = new HashSet<>();
    for (RuleCheck each : asked) {
      if (!seen.add(List.of(each.rule().name(), each.key()))) {
        fields.wrong(
            "all",
            "asks for rule \"%s\" and key \"%s\" twice"
                .formatted(each.rule().name(), Snippet.of(each.key())));
        return;
      }
    }
  }

  static ProblemException unknownRule(String name) {
    return new ProblemException(
        Problem.of(404, "unknown-rule", "There is no rule \"%s\".".formatted(Snippet.of(name))));
  }
}
