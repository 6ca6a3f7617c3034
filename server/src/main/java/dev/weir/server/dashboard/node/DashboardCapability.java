package dev.weir.server.dashboard.node;

import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.capability.Page;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.CountingStore;
import dev.weir.node.stores.Database;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Rules;
import dev.weir.server.dashboard.Dashboard;
import dev.weir.server.dashboard.DemoTraffic;
import dev.weir.server.dashboard.NodeFacts;
import dev.weir.server.dashboard.PageFiles;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.metrics.SlotMetrics;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.internal.Reconciler;
import dev.weir.store.jdbc.internal.Dialect;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The dashboard, as a capability of the server. */
public final class DashboardCapability implements Capability {
  @Override
  public int order() {
    return 80;
  }

  @Override
  public Configured configure(Settings settings) {
    String defaultConfig = settings.text(ServerSetting.SLOTS_DEFAULT_NAME);
    return node -> open(defaultConfig, node);
  }

  private static void open(String defaultConfig, OpeningNode node) {
    node.bean(
        facts(
            defaultConfig,
            node.database().map(Database::dialect),
            node.database().map(Database::isEmbedded).orElse(true),
            node.get(CountingStore.class),
            node.offers(),
            node.pages(),
            node.get(Reconciler.Settings.class).leakGrace()));
    node.bean(new PageFiles(node.pages()));
    node.bean(
        node.open()
            .add(
                Dashboard.start(
                    node.get(LimitMetrics.class),
                    node.get(SlotMetrics.class),
                    node.get(GatewayMetrics.class),
                    node.readiness())));
    node.bean(
        node.open()
            .add(
                new DemoTraffic(
                    node.get(SlotScheduler.class),
                    node.get(Rules.class),
                    node.get(RuleIndex.class),
                    node.get(RuleEvaluator.class))));
  }

  /**
   * Returns what a node says about itself.
   *
   * @param dialect of its database; empty if everything is kept in memory
   * @param hasOwnDatabase whether it started that itself, or has none
   */
  static NodeFacts facts(
      String defaultConfig,
      Optional<Dialect> dialect,
      boolean hasOwnDatabase,
      CountingStore limits,
      Set<String> offers,
      List<Page> pages,
      Duration leakGrace) {
    return new NodeFacts(
        defaultConfig,
        dialect.map(used -> used.name().toLowerCase(Locale.ROOT)).orElse("memory"),
        limits.name(),
        hasOwnDatabase && !limits.isElsewhere(),
        offers.contains("gateway"),
        offers.contains("envoy"),
        offers.contains("notifications"),
        offers.contains("analytics"),
        offers.contains("payments"),
        pages,
        leakGrace);
  }
}
