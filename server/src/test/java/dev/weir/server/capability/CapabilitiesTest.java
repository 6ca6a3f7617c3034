package dev.weir.server.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.Limiter;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.server.limits.node.LimitCapability;
import dev.weir.slots.SlotScheduler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How capabilities enter a node. */
final class CapabilitiesTest {
  @Test
  void areFoundInTheOrderInWhichTheyAreOpened() {
    assertThat(Capabilities.all())
        .extracting(capability -> capability.getClass().getSimpleName())
        .containsExactly(
            "SlotCapability",
            "LimitCapability",
            "RuleCapability",
            "EnvoyCapability",
            "GatewayCapability",
            "NotificationCapability",
            "PaymentCapability",
            "DashboardCapability",
            "OperationsCapability");
    assertThat(Capabilities.all()).extracting(Capability::order).doesNotHaveDuplicates();
  }

  @Test
  void areFoundByWhatTheyGive() {
    assertThat(Capabilities.giving(Limiter.class)).isInstanceOf(LimitCapability.class);
    assertThatThrownBy(() -> Capabilities.giving(CapabilitiesTest.class))
        .hasMessageContaining("no capability here gives a " + CapabilitiesTest.class.getName());
  }

  @Test
  void haveSettingsOfTheirOwn() {
    assertThat(Capabilities.settings()).extracting(Setting::key).doesNotHaveDuplicates();
    assertThat(Capabilities.settings()).extracting(Setting::variable).doesNotHaveDuplicates();
  }

  /** What is absent is not missed by what comes before it, and costs nothing. */
  @Test
  void productsMayBeAbsent() {
    Settings settings =
        Capabilities.read(Map.of(StoreSetting.SLOTS_STORE, "memory"), Map.of(), Optional.empty());
    try (OpenParts open = new OpenParts()) {
      OpeningNode node =
          new OpeningNode(Optional.empty(), Set.of(), new PrometheusRegistry(), open);
      for (Capability each : Capabilities.all()) {
        if (each.order() < 60) {
          each.configure(settings).open(node);
        }
      }
      assertThat(node.find(SlotScheduler.class)).isPresent();
      assertThat(node.find(Limiter.class)).isPresent();
      assertThat(node.readiness().reasonAgainst()).isEmpty();
      assertThat(node.readiness().warnings()).isEqualTo(List.of());
      assertThatThrownBy(() -> node.get(CapabilitiesTest.class))
          .hasMessageContaining("this node has no");
    }
  }
}
