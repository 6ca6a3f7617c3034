package dev.weir.engine.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All rules as this node knows them, by name and by what they cover, so that looking one up asks
 * nobody. Thread-safe.
 */
public final class RuleIndex {
  /** The highest first; of equals, the one that was made first. */
  private static final Comparator<LimitedRule> BY_PRIORITY =
      Comparator.<LimitedRule>comparingInt(rule -> rule.terms().priority())
          .reversed()
          .thenComparingLong(rule -> rule.rule().id());

  private final Rules rules;
  private final RuleObserver observer;
  private volatile Contents contents = new Contents(Map.of(), new PathTree<>());

  /** Never changed once it is made. */
  private record Contents(Map<String, LimitedRule> byName, PathTree<LimitedRule> byPath) {}

  /** Reads all rules. */
  public RuleIndex(Rules rules, RuleObserver observer) {
    this.rules = rules;
    this.observer = observer;
    refresh();
  }

  /** The rule of that name, or null if there is none. */
  public @Nullable LimitedRule find(String name) {
    return contents.byName().get(name);
  }

  public int size() {
    return contents.byName().size();
  }

  /**
   * The active rules that cover a request, by priority.
   *
   * @param inForce of those that enforce, the ones with the highest priority
   * @param overridden those with a lower one, which are not asked
   * @param inShadow those that only look on, of whichever priority
   */
  public record Covering(
      List<LimitedRule> inForce, List<LimitedRule> overridden, List<LimitedRule> inShadow) {
    private static final Covering NONE = new Covering(List.of(), List.of(), List.of());

    public boolean isEmpty() {
      return inForce.isEmpty() && inShadow.isEmpty();
    }
  }

  /** The rules that cover a request: its cost does not grow with the number of the others. */
  public Covering covering(Request request) {
    List<LimitedRule> found = new ArrayList<>(4);
    String method = Coverage.folded(request.method());
    contents
        .byPath()
        .find(
            request.path(),
            rule -> {
              if (rule.terms().coverage().covers(method)) {
                found.add(rule);
              }
            });
    return found.isEmpty() ? Covering.NONE : sorted(found);
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
          || inForce.getFirst().terms().priority() == rule.terms().priority()) {
        inForce.add(rule);
      } else {
        overridden.add(rule);
      }
    }
    return new Covering(inForce, overridden, inShadow);
  }

  /** Reads all rules anew. If the store is gone, the rules stay as they were known. */
  public synchronized void refresh() {
    Map<String, LimitedRule> known = contents.byName();
    Map<String, LimitedRule> byName = new HashMap<>();
    PathTree<LimitedRule> byPath = new PathTree<>();
    List<Rule> all = rules.all();
    observer.rulesKnown(all.stream().map(Rule::name).collect(Collectors.toSet()));
    for (Rule rule : all) {
      LimitedRule before = known.get(rule.name());
      RuleCounters tally = observer.tally(rule.name());
      LimitedRule limited =
          before != null && before.rule().equals(rule) && before.tally().equals(tally)
              ? before
              : LimitedRule.of(rule, tally);
      byName.put(rule.name(), limited);
      Optional<PathPattern> path = rule.terms().coverage().path();
      if (path.isPresent() && rule.terms().isActive()) {
        byPath.add(path.get(), limited);
      }
    }
    contents = new Contents(Map.copyOf(byName), byPath);
  }
}
