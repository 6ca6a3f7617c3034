package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A node with a newer Java wrote a configuration in a time zone that this one does not know. */
final class UnknownZoneTest {
  private final Database database = Database.get();
  private final JdbcSlotConfigs configs = new JdbcSlotConfigs(database.pool(), StoreClock.DATABASE);

  @Test
  void otherConfigurationsAreReadAndItsUsersAreTold() {
    String unknown = "unknown-" + UUID.randomUUID();
    String known = "known-" + UUID.randomUUID();
    SlotPolicy policy = SlotPolicy.of(3, Duration.ofSeconds(4));
    OpeningHours mondays =
        new OpeningHours(
            ZoneOffset.UTC,
            Map.of(DayOfWeek.MONDAY, List.of(new OpeningHours.Hours(0, 3_600))),
            Set.of());
    configs.configure(unknown, policy.withCalendar(mondays));
    configs.configure(known, policy);
    Database.execute(
        database.pool(),
        """
        update slot_config_version set calendar = 'Europe/Atlantis;MONDAY=0-3600;'
        where config_id = (select config_id from slot_config where name = '%s')
        """
            .formatted(unknown));
    try {
      assertThat(configs.active())
          .extracting(SlotConfig::name)
          .contains(known)
          .doesNotContain(unknown);
      assertThat(configs.inForce(known)).isPresent();
      assertThatThrownBy(() -> configs.inForce(unknown))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("version 1 of configuration " + unknown)
          .hasMessageContaining("its time zone Europe/Atlantis is unknown to the Java runtime");
    } finally {
      // Other tests read all versions of this database.
      Database.execute(
          database.pool(),
          "update slot_config_version set calendar = null where calendar like 'Europe/Atlantis;%'");
    }
  }
}
