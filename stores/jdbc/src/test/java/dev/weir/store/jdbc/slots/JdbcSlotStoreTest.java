package dev.weir.store.jdbc.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.store.jdbc.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class JdbcSlotStoreTest {
  private static final Instant LATER = Instant.parse("2040-01-01T00:00:00Z");

  private final Database database = Database.get();
  private final String name = "c-" + UUID.randomUUID();
  private final AtomicInteger contended = new AtomicInteger();
  private final SlotObserver observer =
      new SlotObserver() {
        @Override
        public void contended() {
          contended.incrementAndGet();
        }
      };

  /** The view of the windows that the first node has kept is outdated by the second. */
  @Test
  void reportsBatchesThatMeetThoseOfAnotherNode() {
    try (SlotScheduler one = scheduler(JdbcSlotStore.on(database.pool(), observer));
        SlotScheduler other = scheduler(JdbcSlotStore.on(database.otherPool()))) {
      one.configure(name, SlotPolicy.of(100, Duration.ofSeconds(4)));
      assign(one);
      assign(one);
      assertThat(contended).hasValue(0);
      assign(other);

      assign(one);

      assertThat(contended).hasValueGreaterThanOrEqualTo(1);
    }
  }

  private static SlotScheduler scheduler(SlotStore store) {
    return SlotScheduler.builder(store).upkeep(Duration.ofDays(1), 1).build();
  }

  private void assign(SlotScheduler slots) {
    slots.assign(List.of(new SlotRequest(UUID.randomUUID().toString(), name, LATER)));
  }

  @Test
  void createsTheTablesUnlessItIsToldNotTo() {
    try (HikariDataSource pool = Database.openPool(database.createEmpty())) {
      SlotStore none = JdbcSlotStore.builder(pool).migrate(false).build();
      assertThatThrownBy(() -> none.ledger().find("e")).isInstanceOf(StoreException.class);

      assertThat(JdbcSlotStore.on(pool).ledger().find("e")).isEmpty();

      assertThat(none.ledger().find("e")).isEmpty();
    }
  }

  @Test
  void refusesWrongSettings() {
    assertThatThrownBy(() -> JdbcSlotStore.builder(database.pool()).poolSize(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("poolSize must be at least 1, not 0");
    assertThatThrownBy(() -> JdbcSlotStore.builder(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("database");
  }
}
