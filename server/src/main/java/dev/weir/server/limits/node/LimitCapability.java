package dev.weir.server.limits.node;

import dev.weir.limits.Limiter;
import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import java.util.List;
import java.util.Set;

/** Limits and leases by resource, and the stores that count them, as a capability of the server. */
public final class LimitCapability implements Capability {
  @Override
  public int order() {
    return 20;
  }

  @Override
  public Set<Class<?>> gives() {
    return Set.of(Limiter.class);
  }

  @Override
  public List<Setting> settings() {
    return List.of(LimitSetting.values());
  }

  @Override
  public List<Class<?>> commands() {
    return List.of(SurrealDbCommand.class);
  }

  @Override
  public Configured configure(Settings settings) {
    LimitSettings own = LimitSettings.of(settings);
    return node -> open(own, node);
  }

  private static void open(LimitSettings settings, OpeningNode node) {
    OpenLimits limits = OpenLimits.open(settings, node.database(), node.metrics(), node.open());
    node.share(settings.countingStore());
    limits.addTo(node);
    node.warnOf(limits.metrics().outages()::warnings);
  }
}
