package dev.weir.server.slots.node;

import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.tracing.Tracing;
import dev.weir.server.cli.SlotsCommand;
import dev.weir.server.cli.VerifyCommand;
import dev.weir.server.metrics.SlotLog;
import dev.weir.server.metrics.SlotMetrics;
import dev.weir.server.slots.DefaultConfig;
import dev.weir.server.slots.LeakGrace;
import dev.weir.slots.SlotObserver;
import java.util.List;

/** Slots, as a capability of the server. */
public final class SlotCapability implements Capability {
  @Override
  public int order() {
    return 10;
  }

  @Override
  public List<Setting> settings() {
    return List.of(SlotSetting.values());
  }

  @Override
  public List<Class<?>> commands() {
    return List.of(SlotsCommand.class, VerifyCommand.class);
  }

  @Override
  public Configured configure(Settings settings) {
    SlotSettings own = SlotSettings.of(settings);
    return node -> open(own, node);
  }

  private static void open(SlotSettings settings, OpeningNode node) {
    SlotMetrics metrics = node.share(new SlotMetrics(node.metrics()));
    SlotObserver observer = new SlotLog(metrics, settings.logsAssigned());
    OpenSlots.open(settings, node.database(), node.find(Tracing.class), observer, node.open())
        .addTo(node);
    node.bean(new DefaultConfig(settings.defaultConfig()));
    node.bean(new LeakGrace(settings.reconciler().leakGrace()));
    node.share(settings.reconciler());
  }
}
