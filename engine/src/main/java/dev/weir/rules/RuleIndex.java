package dev.weir.rules;

import dev.weir.limits.Policy;
import dev.weir.register.EntryVersion;
import dev.weir.rules.internal.PathTree;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.matching.Request;
import dev.weir.rules.spec.Coverage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All rules known to this node, by name and by the requests they cover. A look-up does not access
 * the store. Thread-safe.
 */
public final class RuleIndex {
  /** Orders rules by priority, the highest first, and then by id, the oldest first. */
  private static final Comparator<LimitedRule> BY_PRIORITY =
      Comparator.<LimitedRule>comparingInt(rule -> rule.spec().priority())
          .reversed()
          .thenComparingLong(rule -> rule.rule().id());

  private final Rules rules;
  private final RuleObserver observer;
  private volatile Consumer<Policy> limitChanged = policy -> {};
  private volatile Contents contents = new Contents(Map.of(), new PathTree<>());

  /** An immutable snapshot. */
  private record Contents(Map<String, LimitedRule> byName, PathTree<LimitedRule> byPath) {}

  /** Reads all rules. */
  public RuleIndex(Rules rules, RuleObserver observer) {
    this.rules = rules;
    this.observer = observer;
    refresh();
  }

  /**
   * Sets the receiver of the policies whose window or rate has changed since they were last read.
   * It is called when this node uses them, and must not block.
   */
  public void onLimitChange(Consumer<Policy> receiver) {
    this.limitChanged = receiver;
  }

  /** Returns the rule with a name, or null if there is none. */
  public @Nullable LimitedRule find(String name) {
    return contents.byName().get(name);
  }

  /** Returns true if a rule in force decides also while no store of limits is available. */
  public boolean decidesWithoutStore() {
    return contents.byName().values().stream()
        .filter(rule -> rule.isActive() && !rule.isShadow())
        .anyMatch(
            rule ->
                switch (rule.spec().onStoreFailure()) {
                  case CLOSED, FALLBACK -> false;
                  case LOCAL, OPEN -> true;
                });
  }

  public int size() {
    return contents.byName().size();
  }

  /**
   * The active rules that cover a request, by priority.
   *
   * @param inForce the enforced rules with the highest priority
   * @param overridden the enforced rules with a lower priority, which are not evaluated
   * @param inShadow the rules in shadow mode, of any priority
   */
  public record Covering(
      List<LimitedRule> inForce, List<LimitedRule> overridden, List<LimitedRule> inShadow) {
    private static final Covering NONE = new Covering(List.of(), List.of(), List.of());

    public boolean isEmpty() {
      return inForce.isEmpty() && inShadow.isEmpty();
    }
  }

  /**
   * Returns the rules that cover a request. The cost does not depend on the number of other rules.
   */
  public Covering covering(Request request) {
    List<LimitedRule> found = new ArrayList<>(4);
    // Methods are case-sensitive (RFC 9110, 9.1), but some services execute "post" as a POST, and
    // these must not lose their limits.
    String method = request.method().toUpperCase(Locale.ROOT);
    contents
        .byPath()
        .find(
            request.path(),
            rule -> {
              if (covers(rule.spec().coverage(), method)) {
                found.add(rule);
              }
            });
    return found.isEmpty() ? Covering.NONE : sorted(found);
  }

  private static boolean covers(Coverage coverage, String upperCaseMethod) {
    return coverage.methods().isEmpty() || coverage.methods().contains(upperCaseMethod);
  }

  private static Covering sorted(List<LimitedRule> found) {
    found.sort(BY_PRIORITY);
    List<LimitedRule> inForce = new ArrayList<>(found.size());
    List<LimitedRule> overridden = new ArrayList<>(0);
    List<LimitedRule> inShadow = new ArrayList<>(0);
    for (LimitedRule rule : found) {
      if (rule.isShadow()) {
        inShadow.add(rule);
      } else if (inForce.isEmpty()
          || inForce.getFirst().spec().priority() == rule.spec().priority()) {
        inForce.add(rule);
      } else {
        overridden.add(rule);
      }
    }
    return new Covering(inForce, overridden, inShadow);
  }

  /** Reads all rules again. If the store is unavailable, the known rules remain in use. */
  public synchronized void refresh() {
    Map<String, LimitedRule> known = contents.byName();
    Map<String, LimitedRule> byName = new HashMap<>();
    PathTree<LimitedRule> byPath = new PathTree<>();
    List<Rule> all = rules.all();
    observer.rulesKnown(all.stream().map(Rule::name).collect(Collectors.toSet()));
    for (Rule rule : all) {
      LimitedRule before = known.get(rule.name());
      RuleCounters counters = observer.counters(rule.name());
      LimitedRule limited =
          before != null && before.rule().equals(rule) && before.counters().equals(counters)
              ? before
              : LimitedRule.of(rule, versions(rule), VersionOrder.of(rule, before), counters);
      byName.put(rule.name(), limited);
      Optional<PathPattern> path = rule.spec().coverage().path();
      if (path.isPresent() && rule.spec().isActive()) {
        byPath.add(path.get(), limited);
      }
    }
    contents = new Contents(Map.copyOf(byName), byPath);
    byName.forEach((name, rule) -> noteChange(known.get(name), rule));
  }

  private List<EntryVersion<Rule>> versions(Rule rule) {
    return LimitedRule.hasPast(rule) ? rules.versions(rule.id()) : List.of();
  }

  private void noteChange(@Nullable LimitedRule before, LimitedRule after) {
    if (before != null
        && before.kind() instanceof LimitedRule.Counted former
        && after.kind() instanceof LimitedRule.Counted counted
        && !counted.policy().limit().decaysLike(former.policy().limit())) {
      limitChanged.accept(counted.policy());
    }
  }
}
