package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.dashboard.NodeFacts;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a node says about itself. */
final class DashboardPartsTest {
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
    NodeFacts facts = facts(Map.of(Setting.SLOTS_STORE, "memory"));
    assertThat(facts.isEmbedded()).isTrue();
    assertThat(facts.slotStore()).isEqualTo("memory");
    assertThat(facts.hasNotifications()).isFalse();
  }

  @Test
  void aNodeOnAServerIsNotEmbedded() {
    assertThat(
            facts(
                    Map.of(
                        Setting.DB_URL,
                        "jdbc:postgresql://db.example/weir",
                        Setting.DB_USER,
                        "weir",
                        Setting.DB_PASSWORD,
                        "secret"))
                .isEmbedded())
        .isFalse();
    assertThat(
            facts(Map.of(Setting.LIMITS_STORE, "redis", Setting.REDIS_URI, "redis://redis.example"))
                .isEmbedded())
        .isFalse();
    NodeFacts onSurrealdb =
        facts(
            Map.of(
                Setting.LIMITS_STORE,
                "surrealdb",
                Setting.SURREALDB_URL,
                "https://surreal.example"));
    assertThat(onSurrealdb.isEmbedded()).isFalse();
    assertThat(onSurrealdb.limitStore()).isEqualTo("surrealdb");
  }

  private static NodeFacts facts(Map<Setting, String> settings) {
    return DashboardParts.facts(NodeSettings.of(Settings.of(settings, Map.of(), Optional.empty())));
  }
}
