package dev.weir.payments.server.node;

import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.capability.Page;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.DatabaseSettings;
import dev.weir.payments.server.cli.DownstreamCommand;
import dev.weir.payments.server.cli.PaymentsCommand;
import dev.weir.slots.SlotScheduler;
import java.util.List;
import java.util.Set;

/** Payments, as a capability of the server. */
public final class PaymentCapability implements Capability {
  @Override
  public int order() {
    return 70;
  }

  @Override
  public List<Setting> settings() {
    return List.of(PaymentSetting.values());
  }

  @Override
  public List<Class<?>> commands() {
    return List.of(PaymentsCommand.class, DownstreamCommand.class);
  }

  @Override
  public Configured configure(Settings settings) {
    return new OnNode(
        PaymentSettings.of(settings),
        DatabaseSettings.kind(settings) == DatabaseSettings.Kind.POSTGRESQL);
  }

  /**
   * Payments with the settings of a node.
   *
   * @param isOpen whether the node has the database that they need
   */
  private record OnNode(PaymentSettings settings, boolean isOpen) implements Configured {
    @Override
    public Set<String> offers() {
      if (!isOpen) {
        return Set.of();
      }
      return settings.api().target() instanceof PaymentSettings.Target.None
          ? Set.of("payments")
          : Set.of("payments", "feeds");
    }

    @Override
    public void open(OpeningNode node) {
      PaymentsPart part =
          node.database()
              .filter(any -> isOpen)
              .map(
                  used ->
                      PaymentsPart.open(
                          settings,
                          used.pool(),
                          node.get(SlotScheduler.class),
                          node.metrics(),
                          node.open()))
              .orElseGet(() -> PaymentsPart.none(node.metrics()));
      part.addTo(node);
      if (isOpen) {
        node.page(new Page("payments", "Payments"));
      }
      node.warnOf(part.warnings());
    }
  }
}
