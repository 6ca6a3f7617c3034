package dev.weir.server.slots.node;

import dev.weir.internal.SlotNames;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.internal.Reconciler;
import java.time.Duration;

/**
 * The settings of slots.
 *
 * @param defaultConfig the configuration of requests that name none
 * @param createsDefault whether it is created if it does not exist
 * @param cacheTtl how long a node may use a configuration that another node has changed
 * @param isSingleRoundTrip whether Oracle gets small batches as one PL/SQL block
 * @param logsAssigned whether each slot is logged at INFO
 */
public record SlotSettings(
    String defaultConfig,
    boolean createsDefault,
    Duration cacheTtl,
    SlotScheduler.Settings scheduler,
    Reconciler.Settings reconciler,
    Duration upkeepInterval,
    boolean isSingleRoundTrip,
    boolean logsAssigned) {
  private static final Duration MIN_UPKEEP_INTERVAL = Duration.ofMillis(10);

  /** Small enough that subtracting it from any time does not underflow. */
  private static final Duration MAX_AGE = Duration.ofDays(100 * 365);

  private static final int UPKEEP_STEPS = 50;

  public static SlotSettings of(Settings settings) {
    return new SlotSettings(
        settings.text(ServerSetting.SLOTS_DEFAULT_NAME, SlotNames::configNameProblem),
        settings.flag(SlotSetting.CREATE_DEFAULT),
        settings.duration(SlotSetting.CACHE_TTL, Duration.ZERO, Duration.ofDays(1)),
        scheduler(settings),
        reconciler(settings),
        settings.duration(SlotSetting.UPKEEP_EVERY, MIN_UPKEEP_INTERVAL, Duration.ofDays(1)),
        settings.flag(SlotSetting.ORACLE_SINGLE_ROUND_TRIP),
        settings.flag(SlotSetting.LOG_ASSIGNED));
  }

  private static SlotScheduler.Settings scheduler(Settings settings) {
    return new SlotScheduler.Settings(
        settings.number(SlotSetting.LANES, 1, 64),
        settings.number(SlotSetting.MAX_BATCH, 1, 50_000),
        SlotScheduler.Settings.DEFAULT.maxWaiting(),
        // Two kinds of work use this many each, which leaves half of the connections to the rest.
        Math.clamp(settings.number(StoreSetting.DB_POOL_MAX, 2, 1_000) / 4, 1, 16));
  }

  private static Reconciler.Settings reconciler(Settings settings) {
    Duration retention =
        settings.optional(SlotSetting.RETENTION).isPresent()
            ? settings.duration(SlotSetting.RETENTION, Duration.ZERO, MAX_AGE)
            : Reconciler.Settings.FOREVER;
    return new Reconciler.Settings(
        settings.duration(SlotSetting.LEAK_GRACE, Duration.ZERO, MAX_AGE),
        settings.flag(SlotSetting.RECLAIM),
        retention,
        UPKEEP_STEPS);
  }
}
