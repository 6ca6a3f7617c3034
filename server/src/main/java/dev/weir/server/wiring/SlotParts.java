package dev.weir.server.wiring;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.server.tracing.TracedLedger;
import dev.weir.server.tracing.Tracing;
import dev.weir.slots.ConfigCache;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotConfigs;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.slots.SlotUpkeep;
import dev.weir.slots.internal.CheckedSlotConfigs;
import dev.weir.slots.internal.ConfigBroadcast;
import dev.weir.slots.internal.MemorySlotLedger;
import dev.weir.slots.internal.Reconciler;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotLedger;
import dev.weir.store.jdbc.slots.internal.JdbcSlotUpkeep;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The stores of slots, independent of the kind of store. */
record SlotParts(
    SlotLedger ledger,
    CheckedSlotConfigs configs,
    SlotUpkeep upkeep,
    ConfigCache cache,
    ConfigBroadcast broadcast) {

  /** The policy of the default configuration, which a new installation creates. */
  private static final SlotPolicy DEFAULT_POLICY = SlotPolicy.of(100, Duration.ofSeconds(4));

  private static final int MAX_SLOTS_IN_MEMORY = 5_000_000;

  /** Uses the generator of the calling thread, because generators are not thread-safe. */
  private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

  /**
   * Opens the store of slots.
   *
   * @param database stores the slots; if empty, they are kept in memory
   */
  static SlotParts open(SlotSettings settings, Optional<Database> database, SlotObserver observer) {
    return database.isPresent()
        ? inDatabase(settings, database.get(), observer)
        : inMemory(settings, observer);
  }

  private static SlotParts inMemory(SlotSettings settings, SlotObserver observer) {
    MemorySlotLedger ledger =
        new MemorySlotLedger(InstantSource.system(), RANDOM, MAX_SLOTS_IN_MEMORY);
    if (settings.createsDefault()) {
      ledger.configure(settings.defaultConfig(), DEFAULT_POLICY);
    }
    ConfigCache cache = cache(settings, ledger, observer);
    return new SlotParts(ledger, checked(settings, ledger), ledger, cache, cache::flush);
  }

  private static SlotParts inDatabase(
      SlotSettings settings, Database database, SlotObserver observer) {
    Dialect dialect = database.dialect();
    HikariDataSource pool = database.pool();
    int connections = pool.getMaximumPoolSize();
    JdbcSlotConfigs configs =
        new JdbcSlotConfigs(dialect, pool, StoreClock.DATABASE, Math.clamp(connections / 8, 1, 8));
    if (settings.createsDefault()) {
      configs.createIfAbsent(settings.defaultConfig(), DEFAULT_POLICY);
    }
    ConfigCache cache = cache(settings, configs, observer);
    return new SlotParts(
        ledger(settings, database, observer),
        checked(settings, configs),
        new JdbcSlotUpkeep(dialect, pool, StoreClock.DATABASE),
        cache,
        () -> Channel.SLOT_CONFIG.flushEverywhere(dialect, pool));
  }

  private static SlotLedger ledger(
      SlotSettings settings, Database database, SlotObserver observer) {
    HikariDataSource pool = database.pool();
    int maxWaiting = Math.clamp(pool.getMaximumPoolSize() / 4, 1, 16);
    StoreClock clock = StoreClock.DATABASE;
    return switch (database.dialect()) {
      case POSTGRESQL ->
          new JdbcSlotLedger(Dialect.POSTGRESQL, pool, clock, RANDOM, observer, maxWaiting);
      case ORACLE ->
          JdbcSlotLedger.inOracle(
              settings.isSingleRoundTrip(), pool, clock, RANDOM, observer, maxWaiting);
    };
  }

  private static CheckedSlotConfigs checked(SlotSettings settings, SlotConfigs configs) {
    Duration retention = settings.reconciler().retention();
    CheckedSlotConfigs checked = new CheckedSlotConfigs(configs, retention, InstantSource.system());
    Optional<SlotConfig> outlasting = checked.outlastingRetention();
    if (outlasting.isPresent()) {
      throw new InvalidSettingException(
          Setting.SLOTS_RETENTION.key(),
          "must be at least %s, the window of configuration \"%s\", not %s"
              .formatted(outlasting.get().policy().window(), outlasting.get().name(), retention));
    }
    return checked;
  }

  /** Returns a scheduler that assigns slots on the ledger and cleans it up. */
  SlotScheduler scheduler(SlotSettings settings, Optional<Tracing> tracing, SlotObserver observer) {
    SlotLedger traced =
        tracing.<SlotLedger>map(spans -> new TracedLedger(ledger, spans)).orElse(ledger);
    Reconciler.Settings reconciler = settings.reconciler();
    return SlotScheduler.builder(SlotStore.of(traced, configs, upkeep, () -> {}))
        .settings(settings.scheduler())
        .observer(observer)
        .configCache(cache)
        .retention(reconciler.retention())
        .leakGrace(reconciler.leakGrace())
        .reclaimLeaked(reconciler.reclaim())
        .upkeep(settings.upkeepInterval(), reconciler.maxSteps())
        .log(Upkeep.LOG)
        .build();
  }

  /**
   * Registers the parts that the endpoints of slots inject.
   *
   * @param scheduler assigns slots on the ledger
   */
  void addTo(Beans beans, SlotScheduler scheduler) {
    beans.add(scheduler).add(ledger).add(configs).add(upkeep).add(cache).add(broadcast);
  }

  /** Returns a listener that drops changed configurations from the cache. */
  ChangeListener.Listener hearer() {
    return LimitParts.hearer(cache::forget, cache::flush);
  }

  private static ConfigCache cache(
      SlotSettings settings, SlotConfigs configs, SlotObserver observer) {
    return new ConfigCache(configs, settings.cacheTtl(), System::nanoTime, observer);
  }
}
