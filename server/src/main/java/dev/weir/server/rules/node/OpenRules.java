package dev.weir.server.rules.node;

import dev.weir.limits.LimitStore;
import dev.weir.limits.internal.Settlements;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.stores.Database;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.Rule;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Rules;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.rules.CheckSettings;
import dev.weir.server.rules.RuleBroadcast;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.rules.internal.JdbcRules;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Rules on their store.
 *
 * @param rules the store of rules
 * @param index the rules as cached on this node
 * @param evaluator evaluates the rules
 */
public record OpenRules(
    Rules rules,
    RuleIndex index,
    RuleEvaluator evaluator,
    RuleBroadcast broadcast,
    CheckSettings checks) {

  /** Opens the store of rules, on the limits that the node has. */
  public static OpenRules open(OpeningNode node, CheckSettings checks) {
    LimitMetrics metrics = node.get(LimitMetrics.class);
    RuleEvaluator.Stores stores = node.get(RuleEvaluator.Stores.class);
    Optional<Database> database = node.database();
    Rules rules =
        database
            .<Rules>map(used -> new JdbcRules(used.dialect(), used.pool(), StoreClock.DATABASE))
            .orElseGet(() -> new MemoryRules(InstantSource.system()));
    RuleIndex index = new RuleIndex(rules, metrics);
    requireCounted(rules, node.get(LimitStore.class));
    index.onLimitChange(node.get(Settlements.class)::owe);
    return new OpenRules(
        rules,
        index,
        new RuleEvaluator(index, stores, metrics),
        () -> database.ifPresent(used -> Channel.RULE.flushEverywhere(used.dialect(), used.pool())),
        checks);
  }

  /** Refuses to start with rules that the store does not count and would have to ignore. */
  private static void requireCounted(Rules rules, LimitStore limits) {
    List<String> others =
        rules.all().stream()
            .filter(rule -> !rule.spec().isCountedBy(limits))
            .map(Rule::name)
            .toList();
    if (!others.isEmpty()) {
      throw new InvalidSettingException(
          "weir.limits.store",
          "names a store that does not count these rules, because of their algorithm: "
              + String.join(", ", others));
    }
  }

  /**
   * Returns why nothing can be decided; empty if something can: without the store of limits, only
   * rules that are not closed can.
   */
  public String reasonAgainst(LimitMetrics metrics) {
    return index.decidesWithoutStore()
        ? ""
        : metrics.outages().warnings().stream().findFirst().orElse("");
  }

  /** Registers the parts that the endpoints of rules inject. */
  public void addTo(OpeningNode node) {
    node.bean(rules);
    node.bean(index);
    node.bean(evaluator);
    node.bean(broadcast);
    node.bean(checks);
  }
}
