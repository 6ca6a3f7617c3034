package dev.weir.engine.limits;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All rules as this node knows them, by name, so that looking one up asks nobody. Thread-safe.
 *
 * @param <V> what is made of a rule once, for those who ask for it often
 */
public final class RuleBook<V> {
  private final Rules rules;
  private final Function<Rule, V> made;
  private volatile Map<String, V> byName = Map.of();

  /** Reads all rules. */
  public RuleBook(Rules rules, Function<Rule, V> made) {
    this.rules = rules;
    this.made = made;
    refresh();
  }

  /** What was made of a rule, or null if there is no rule of that name. */
  public @Nullable V find(String name) {
    return byName.get(name);
  }

  public int size() {
    return byName.size();
  }

  /** Reads all rules anew. If the store is gone, the rules stay as they were known. */
  public synchronized void refresh() {
    Map<String, V> read = new HashMap<>();
    for (Rule rule : rules.all()) {
      read.put(rule.name(), made.apply(rule));
    }
    byName = Map.copyOf(read);
  }
}
