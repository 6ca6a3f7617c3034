package dev.weir.server.wiring;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.engine.slots.CheckedSlotConfigs;
import dev.weir.engine.slots.ConfigBroadcast;
import dev.weir.engine.slots.ConfigCache;
import dev.weir.engine.slots.MemorySlotLedger;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.SlotConfigs;
import dev.weir.engine.slots.SlotLedger;
import dev.weir.engine.slots.SlotObserver;
import dev.weir.engine.slots.SlotScheduler;
import dev.weir.engine.slots.SlotUpkeep;
import dev.weir.store.jdbc.ChangeListener;
import dev.weir.store.jdbc.Channel;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.slots.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.JdbcSlotLedger;
import dev.weir.store.jdbc.slots.JdbcSlotUpkeep;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** What slots need of a store, whichever store it is. */
record SlotParts(
    SlotLedger ledger,
    CheckedSlotConfigs configs,
    SlotUpkeep upkeep,
    ConfigCache cache,
    ConfigBroadcast broadcast) {

  /** The configuration that a newcomer finds. */
  private static final SlotPolicy FIRST_TERMS = SlotPolicy.of(100, Duration.ofSeconds(4));

  private static final int MOST_SLOTS_IN_MEMORY = 5_000_000;

  /** Of whichever thread asks: generators are not safe for use by several. */
  private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

  static SlotParts inMemory(Settings settings, Duration retention, SlotObserver observer) {
    MemorySlotLedger ledger =
        new MemorySlotLedger(InstantSource.system(), RANDOM, MOST_SLOTS_IN_MEMORY);
    if (settings.flag(Setting.SLOTS_CREATE_DEFAULT)) {
      ledger.configure(settings.configName(Setting.SLOTS_DEFAULT_NAME), FIRST_TERMS);
    }
    ConfigCache cache = cache(settings, ledger, observer);
    return new SlotParts(ledger, checked(ledger, retention), ledger, cache, cache::flush);
  }

  static SlotParts onPostgres(
      Settings settings, Duration retention, HikariDataSource database, SlotObserver observer) {
    int connections = database.getMaximumPoolSize();
    JdbcSlotConfigs configs =
        new JdbcSlotConfigs(
            database, StoreClock.OF_THE_DATABASE, Math.clamp(connections / 8, 1, 8));
    if (settings.flag(Setting.SLOTS_CREATE_DEFAULT)) {
      configs.createIfAbsent(settings.configName(Setting.SLOTS_DEFAULT_NAME), FIRST_TERMS);
    }
    ConfigCache cache = cache(settings, configs, observer);
    return new SlotParts(
        new JdbcSlotLedger(
            database,
            StoreClock.OF_THE_DATABASE,
            RANDOM,
            observer,
            Math.clamp(connections / 4, 1, 16)),
        checked(configs, retention),
        new JdbcSlotUpkeep(database, StoreClock.OF_THE_DATABASE),
        cache,
        () -> Channel.SLOT_CONFIG.flushEverywhere(database));
  }

  private static CheckedSlotConfigs checked(SlotConfigs configs, Duration retention) {
    CheckedSlotConfigs checked = new CheckedSlotConfigs(configs, retention, InstantSource.system());
    Optional<SlotConfig> outlasting = checked.outlastingRetention();
    if (outlasting.isPresent()) {
      throw new InvalidSettingException(
          Setting.SLOTS_RETENTION.key(),
          "must be at least %s, the window of configuration \"%s\", not %s"
              .formatted(outlasting.get().terms().window(), outlasting.get().name(), retention));
    }
    return checked;
  }

  /**
   * Registers what the endpoints of slots ask for.
   *
   * @param scheduler assigns slots on the ledger
   */
  void addTo(Beans beans, SlotScheduler scheduler) {
    beans.add(scheduler).add(ledger).add(configs).add(cache).add(broadcast);
  }

  /** Drops from the cache what has changed. */
  ChangeListener.Hearer hearer() {
    return LimitParts.hearer(cache::forget, cache::flush);
  }

  private static ConfigCache cache(Settings settings, SlotConfigs configs, SlotObserver observer) {
    return new ConfigCache(
        configs,
        settings.duration(Setting.SLOTS_CACHE_TTL, Duration.ZERO, Duration.ofDays(1)),
        System::nanoTime,
        observer);
  }
}
