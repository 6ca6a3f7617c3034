package dev.weir.benchmarks.slots;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.slots.Assignment;
import dev.weir.slots.SlotConfigs;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.slots.SlotUpkeep;
import dev.weir.slots.internal.MemorySlotLedger;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotLedger;
import dev.weir.store.jdbc.slots.internal.JdbcSlotUpkeep;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** Weir in this process, assembled as in the server. */
record Weir(SlotConfigs configs, SlotScheduler desk) {
  /** Uses the generator of the calling thread, because generators are not thread-safe. */
  private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

  static Weir onPostgresql(HikariDataSource pool) {
    return of(
        new JdbcSlotConfigs(pool, StoreClock.DATABASE),
        new JdbcSlotLedger(pool, StoreClock.DATABASE, RANDOM, SlotObserver.NONE),
        new JdbcSlotUpkeep(pool, StoreClock.DATABASE));
  }

  static Weir inMemory() {
    MemorySlotLedger ledger =
        new MemorySlotLedger(InstantSource.system(), RANDOM, Integer.MAX_VALUE);
    return of(ledger, ledger, ledger);
  }

  private static Weir of(SlotConfigs configs, SlotLedger ledger, SlotUpkeep upkeep) {
    return new Weir(configs, SlotScheduler.on(SlotStore.of(ledger, configs, upkeep, () -> {})));
  }

  void configure(String name, int max, Duration window) {
    configs.configure(name, SlotPolicy.of(max, window));
  }

  void assign(String config, String eventId, Instant requested) {
    mustBeGiven(desk.assign(new SlotRequest(eventId, config, requested)));
  }

  void assignAll(List<SlotRequest> requests) {
    desk.assign(requests).forEach(Weir::mustBeGiven);
  }

  private static void mustBeGiven(Assignment answer) {
    if (!(answer instanceof Assignment.Assigned assigned) || assigned.replayed()) {
      throw new IllegalStateException("a new slot was expected, not " + answer);
    }
  }
}
