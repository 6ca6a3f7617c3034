package dev.weir.server.slots.node;

import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.stores.Database;
import dev.weir.node.tracing.Tracing;
import dev.weir.slots.SlotConfigs;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.slots.internal.ConfigBroadcast;
import dev.weir.slots.internal.Reconciler;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import java.time.Duration;
import java.util.Optional;

/** The scheduler of slots, independent of the kind of store. */
public record OpenSlots(SlotScheduler scheduler, ConfigBroadcast broadcast) {

  /** The policy of the default configuration, which a new installation creates. */
  private static final SlotPolicy DEFAULT_POLICY = SlotPolicy.of(100, Duration.ofSeconds(4));

  /**
   * Opens the store of slots and starts the scheduler.
   *
   * @param database stores the slots; if empty, they are kept in memory
   * @param open receives the scheduler
   */
  public static OpenSlots open(
      SlotSettings settings,
      Optional<Database> database,
      Optional<Tracing> tracing,
      SlotObserver observer,
      OpenParts open) {
    SlotStore store =
        database.map(used -> inDatabase(settings, used, observer)).orElseGet(SlotStore::inMemory);
    prepare(settings, store.configs());
    SlotStore traced = tracing.map(spans -> traced(store, spans)).orElse(store);
    SlotScheduler scheduler = open.add(scheduler(settings, traced, observer));
    return new OpenSlots(
        scheduler,
        database
            .<ConfigBroadcast>map(
                used -> () -> Channel.SLOT_CONFIG.flushEverywhere(used.dialect(), used.pool()))
            .orElse(scheduler::forgetConfigs));
  }

  /** Returns a store in a database that has its tables. */
  private static SlotStore inDatabase(
      SlotSettings settings, Database database, SlotObserver observer) {
    return JdbcSlotStore.builder(database.pool())
        .observer(observer)
        .migrate(false)
        .poolSize(database.pool().getMaximumPoolSize())
        .singleRoundTrip(settings.isSingleRoundTrip())
        .build();
  }

  /**
   * Creates the default configuration of a new installation, and refuses a retention that is
   * shorter than the windows in force.
   */
  private static void prepare(SlotSettings settings, SlotConfigs configs) {
    if (settings.createsDefault() && configs.inForce(settings.defaultConfig()).isEmpty()) {
      configs.configure(settings.defaultConfig(), 0, DEFAULT_POLICY);
    }
    Duration retention = settings.reconciler().retention();
    configs.active().stream()
        .filter(config -> config.policy().window().compareTo(retention) > 0)
        .findFirst()
        .ifPresent(
            outlasting -> {
              throw new InvalidSettingException(
                  SlotSetting.RETENTION.key(),
                  "must be at least %s, the window of configuration \"%s\", not %s"
                      .formatted(outlasting.policy().window(), outlasting.name(), retention));
            });
  }

  private static SlotStore traced(SlotStore store, Tracing tracing) {
    return SlotStore.of(
        new TracedLedger(store.ledger(), tracing), store.configs(), store.upkeep(), store::close);
  }

  private static SlotScheduler scheduler(
      SlotSettings settings, SlotStore store, SlotObserver observer) {
    Reconciler.Settings reconciler = settings.reconciler();
    return SlotScheduler.builder(store)
        .settings(settings.scheduler())
        .observer(observer)
        .configCacheTtl(settings.cacheTtl())
        .retention(reconciler.retention())
        .leakGrace(reconciler.leakGrace())
        .reclaimLeaked(reconciler.reclaim())
        .upkeep(settings.upkeepInterval(), reconciler.maxSteps())
        .log(Upkeep.LOG)
        .build();
  }

  /** Registers the parts that the endpoints of slots inject, and what later capabilities use. */
  public void addTo(OpeningNode node) {
    node.bean(scheduler);
    node.bean(broadcast);
    node.onChange(Channel.SLOT_CONFIG, scheduler::forgetConfig, scheduler::forgetConfigs);
  }
}
