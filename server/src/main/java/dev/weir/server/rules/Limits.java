package dev.weir.server.rules;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.Definitions;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.rules.RuleEvaluator;
import dev.weir.engine.rules.RuleIndex;
import dev.weir.engine.rules.Rules;
import dev.weir.server.metrics.LimitMetrics;
import java.time.Duration;

/**
 * What the endpoints of limits work on.
 *
 * @param store keeps what was used
 * @param rules where rules are kept
 * @param book the rules as this node knows them
 * @param desk decides by them
 * @param refreshEverywhere tells every node to read its rules anew
 * @param requestTtl for how long a demand may be repeated by its request id
 * @param isBlocking whether a decision may wait for somebody
 */
public record Limits(
    LimitStore store,
    LeaseStore leases,
    Rules rules,
    RuleIndex book,
    RuleEvaluator desk,
    Runnable refreshEverywhere,
    Definitions<TokenBucket> buckets,
    Definitions<Concurrency> concurrency,
    Duration requestTtl,
    boolean isBlocking,
    LimitMetrics metrics) {

  /**
   * The Micronaut property that says whether decisions may wait for somebody; without it they are
   * answered on the thread that reads the requests.
   */
  public static final String BLOCKING = "weir.limits.blocking";
}
