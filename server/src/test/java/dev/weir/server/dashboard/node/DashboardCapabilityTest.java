package dev.weir.server.dashboard.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.DatabaseSettings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.server.dashboard.NodeFacts;
import dev.weir.server.limits.node.LimitSetting;
import dev.weir.server.limits.node.LimitSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What a node says about itself. */
final class DashboardCapabilityTest {
  @Test
  void aNodeWithItsOwnDatabaseIsEmbedded() {
    NodeFacts facts = facts(Map.of());
    assertThat(facts.isEmbedded()).isTrue();
    assertThat(facts.slotStore()).isEqualTo("postgresql");
    assertThat(facts.hasNotifications()).isTrue();
    assertThat(facts.hasAnalytics()).isFalse();
  }

  @Test
  void aNodeInMemoryIsEmbedded() {
    NodeFacts facts = facts(Map.of(StoreSetting.SLOTS_STORE, "memory"));
    assertThat(facts.isEmbedded()).isTrue();
    assertThat(facts.slotStore()).isEqualTo("memory");
    assertThat(facts.hasNotifications()).isFalse();
  }

  @Test
  void aNodeOnAServerIsNotEmbedded() {
    assertThat(
            facts(
                    Map.of(
                        StoreSetting.DB_URL,
                        "jdbc:postgresql://db.example/weir",
                        StoreSetting.DB_USER,
                        "weir",
                        StoreSetting.DB_PASSWORD,
                        "secret"))
                .isEmbedded())
        .isFalse();
    assertThat(
            facts(
                    Map.of(
                        LimitSetting.STORE,
                        "redis",
                        StoreSetting.REDIS_URI,
                        "redis://redis.example"))
                .isEmbedded())
        .isFalse();
    NodeFacts onSurrealdb =
        facts(
            Map.of(
                LimitSetting.STORE,
                "surrealdb",
                StoreSetting.SURREALDB_URL,
                "https://surreal.example"));
    assertThat(onSurrealdb.isEmbedded()).isFalse();
    assertThat(onSurrealdb.limitStore()).isEqualTo("surrealdb");
  }

  private static NodeFacts facts(Map<Setting, String> given) {
    Settings settings = Capabilities.read(given, Map.of(), Optional.empty());
    Optional<DatabaseSettings> database = DatabaseSettings.of(settings);
    Set<String> offers =
        Capabilities.all().stream()
            .flatMap(each -> each.configure(settings).offers().stream())
            .collect(Collectors.toSet());
    return DashboardCapability.facts(
        "default",
        database.map(DatabaseSettings::dialect),
        database.map(used -> used.server().isEmpty()).orElse(true),
        LimitSettings.of(settings).countingStore(),
        offers,
        List.of(),
        Duration.ofMinutes(1));
  }
}
