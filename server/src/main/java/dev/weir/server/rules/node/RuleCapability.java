package dev.weir.server.rules.node;

import dev.weir.limits.AcquireRequest;
import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.CountingStore;
import dev.weir.rules.RuleEvaluator;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.rules.CheckSettings;
import dev.weir.store.jdbc.internal.Channel;
import java.time.Duration;
import java.util.List;

/** Rules and checks, as a capability of the server. */
public final class RuleCapability implements Capability {
  @Override
  public int order() {
    return 30;
  }

  @Override
  public List<Setting> settings() {
    return List.of(RuleSetting.values());
  }

  @Override
  public Configured configure(Settings settings) {
    Duration requestTtl =
        settings.duration(RuleSetting.REQUEST_TTL, Duration.ofMillis(1), AcquireRequest.MAX_TTL);
    Duration cacheTtl = settings.cacheTtl();
    return node -> open(requestTtl, cacheTtl, node);
  }

  private static void open(Duration requestTtl, Duration cacheTtl, OpeningNode node) {
    boolean isBlocking = node.get(CountingStore.class).isAwaited();
    OpenRules rules = OpenRules.open(node, new CheckSettings(requestTtl, isBlocking));
    rules.addTo(node);
    node.property(CheckSettings.BLOCKING, isBlocking);
    node.onChange(Channel.RULE, name -> rules.index().refresh(), rules.index()::refresh);
    node.keepUp("reading of rules", rules.index()::refresh, cacheTtl);
    node.keepUp(
        "renewal of leases", rules.evaluator()::renewLeases, RuleEvaluator.BETWEEN_RENEWALS);
    if (node.database().isEmpty()) {
      LimitMetrics metrics = node.get(LimitMetrics.class);
      node.needForReadiness(() -> rules.reasonAgainst(metrics));
    }
  }
}
