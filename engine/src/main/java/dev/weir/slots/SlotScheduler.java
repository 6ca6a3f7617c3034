package dev.weir.slots;

import static java.util.Objects.requireNonNull;

import dev.weir.TaskLog;
import dev.weir.internal.OpenGuard;
import dev.weir.internal.PeriodicTask;
import dev.weir.internal.SlotNames;
import dev.weir.slots.internal.Reconciler;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Assigns each event a durable, idempotent slot: a time at which it may run, never more than the
 * configured number in a window.
 *
 * <pre>{@code
 * try (SlotScheduler slots = SlotScheduler.inMemory()) {
 *   slots.configure("bank-api", SlotPolicy.of(200, Duration.ofSeconds(4)));
 *   Instant at = slots.assign("pay-1", "bank-api").scheduledTime();
 * }
 * }</pre>
 *
 * <p>A repeated request for an event returns its existing slot. Concurrent requests are combined
 * into batches without delay: a request waits only while the store is busy with others.
 * Thread-safe; callers block and are meant to be virtual threads. A store that fails throws {@link
 * dev.weir.StoreException}, which says whether anything may have been done. A closed scheduler
 * throws {@link IllegalStateException} in place of any change.
 */
public final class SlotScheduler implements AutoCloseable {
  private final OpenGuard guard = new OpenGuard("the slot scheduler");
  private final SlotStore store;
  private final ConfigCache cache;
  private final CheckedSlotConfigs configs;
  private final AssignmentBatcher batcher;
  private final PeriodicTask upkeep;

  private SlotScheduler(Builder builder) {
    this.store = builder.store;
    this.cache =
        new ConfigCache(
            store.configs(), builder.configCacheTtl, System::nanoTime, builder.observer);
    this.configs =
        new CheckedSlotConfigs(store.configs(), cache, builder.retention, store.ledger()::now);
    this.batcher = new AssignmentBatcher(store.ledger(), cache, builder.settings, builder.observer);
    this.upkeep =
        new PeriodicTask(
            "upkeep of slots",
            new Reconciler(store.upkeep(), builder.reconciliation(), builder.observer),
            builder.upkeepInterval,
            builder.log);
  }

  /** Returns a scheduler that keeps its slots in the memory of this process. */
  public static SlotScheduler inMemory() {
    return on(SlotStore.inMemory());
  }

  /** Returns a scheduler that keeps its slots in the memory of this process, by a clock. */
  public static SlotScheduler inMemory(InstantSource clock) {
    return on(SlotStore.inMemory(clock));
  }

  /** Returns a scheduler on a store, which it closes when it is closed. */
  public static SlotScheduler on(SlotStore store) {
    return builder(store).build();
  }

  /** Returns a builder of schedulers on a store. */
  public static Builder builder(SlotStore store) {
    return new Builder(store);
  }

  /**
   * Configures how many events may run in a window. A policy equal to the one in force changes
   * nothing, so this may be called at every start; any other becomes the next version, and slots
   * that were assigned keep their times.
   *
   * @throws IllegalArgumentException if the name cannot be one of a configuration
   * @throws dev.weir.slots.InvalidSlotPolicyException if the policy can never assign a slot, or its
   *     windows are longer than the retention
   */
  public SlotConfig configure(String name, SlotPolicy policy) {
    guard.requireOpen();
    return configs.configure(name, policy);
  }

  /**
   * Makes a policy the next version of a configuration if {@code version} is in force, in one step.
   *
   * @param version the expected version; 0 if there must be no such configuration
   * @return the new version; empty if another version is in force, and then nothing has changed
   * @throws IllegalArgumentException if the name cannot be one of a configuration
   * @throws dev.weir.slots.InvalidSlotPolicyException as {@link #configure(String, SlotPolicy)}
   */
  public Optional<SlotConfig> configure(String name, int version, SlotPolicy policy) {
    guard.requireOpen();
    return configs.configure(name, version, policy);
  }

  /**
   * Checks a policy as {@link #configure(String, SlotPolicy)} does, and changes nothing.
   *
   * @throws dev.weir.slots.InvalidSlotPolicyException if it would be refused
   */
  public void check(SlotPolicy policy) {
    configs.check(policy);
  }

  /** Returns the version of a configuration that is in force. */
  public Optional<SlotConfig> config(String name) {
    return store.configs().inForce(name);
  }

  /** Returns the versions in force of all configurations, ordered by name. */
  public List<SlotConfig> configs() {
    return store.configs().active();
  }

  /** Returns all versions of a configuration, newest first. */
  public List<SlotConfig> history(String name) {
    return store.configs().history(name);
  }

  /** Drops the cached version of a configuration that another process has changed. */
  public void forgetConfig(String name) {
    cache.forget(name);
  }

  /** Drops all cached configurations. */
  public void forgetConfigs() {
    cache.flush();
  }

  /**
   * Assigns an event the earliest free slot from now on.
   *
   * @throws NoSlotException if there is no such configuration, or no place within its max delay
   */
  public Slot assign(String eventId, String configName) {
    return slot(assign(SlotRequest.now(eventId, configName)));
  }

  /**
   * Assigns an event the earliest free slot from a time on.
   *
   * @throws NoSlotException if there is no such configuration, or no place within its max delay
   */
  public Slot assign(String eventId, String configName, Instant requestedTime) {
    return slot(assign(new SlotRequest(eventId, configName, requestedTime)));
  }

  private static Slot slot(Assignment assignment) {
    return switch (assignment) {
      case Assignment.Assigned assigned -> assigned.slot();
      case Assignment.NoCapacity noCapacity ->
          throw new NoSlotException(
              noCapacity,
              "configuration %s has no free place within its max delay"
                  .formatted(noCapacity.request().configName()));
      case Assignment.UnknownConfig unknown ->
          throw new NoSlotException(
              unknown, "there is no configuration " + unknown.request().configName());
    };
  }

  /** Assigns an event its slot and returns the outcome as a value. */
  public Assignment assign(SlotRequest request) {
    return assign(List.of(request)).getFirst();
  }

  /** Assigns each event its slot, in order. */
  public List<Assignment> assign(List<SlotRequest> requests) {
    return submit(requests).await();
  }

  /** Submitted requests whose results may not be available yet. */
  public interface Pending {
    /** Waits for the results, one for each request. Must be called, by any one thread. */
    List<Assignment> await();
  }

  /**
   * Submits requests without waiting for their results: each event gets its slot after the events
   * of the same configuration that were submitted earlier. Failures are thrown by {@link
   * Pending#await}.
   */
  public Pending submit(List<SlotRequest> requests) {
    guard.requireOpen();
    return batcher.submit(requests);
  }

  /**
   * Takes over events with the times that another system has given them, in one step. Each counts
   * in the window of its time, and the times stay as they are. An event that was taken over with
   * the same time before is left as it is, so this may be repeated. Up to a few hundred events
   * should be given at a time, because their configuration is locked meanwhile.
   *
   * @return a result for each event, in order
   * @throws IllegalArgumentException if the name cannot be one of a configuration
   */
  public List<Adoption> adopt(String configName, List<AdoptRequest> requests, Overfull overfull) {
    guard.requireOpen();
    SlotNames.configNameProblem(configName)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException("configName " + problem);
            });
    return store.ledger().adopt(configName, List.copyOf(requests), overfull);
  }

  /** Returns the slot of an event. */
  public Optional<Slot> find(String eventId) {
    return store.ledger().find(eventId);
  }

  /** Records that the work of an event has started, so that its slot does not count as leaked. */
  public Transition confirm(String eventId) {
    guard.requireOpen();
    return store.ledger().confirm(eventId);
  }

  /**
   * Cancels the slot of an event. Its place becomes free if its time is in the future or its
   * configuration keeps past times.
   */
  public Transition cancel(String eventId) {
    guard.requireOpen();
    return store.ledger().cancel(eventId);
  }

  /**
   * Reclaims up to {@code max} leaked slots: those that were due and assigned before a time and
   * never confirmed. Returns their number.
   */
  public int reclaim(Instant before, int max) {
    guard.requireOpen();
    return store.upkeep().reclaim(before, max);
  }

  /** Returns the slots that match a query, ordered by scheduled time and then by event id. */
  public List<Slot> list(SlotQuery query) {
    return store.ledger().list(query);
  }

  /** Returns the windows that hold events, ordered by start. */
  public List<WindowCount> windows(WindowQuery query) {
    return store.ledger().windows(query);
  }

  /** Calculates when further events would be completed; empty if there is no such configuration. */
  public Optional<ForecastResult> forecast(String configName, Instant from, long events) {
    return cache.find(configName).map(config -> forecast(config, from, events));
  }

  /** Calculates when further events would be completed. Assigns nothing. */
  public ForecastResult forecast(SlotConfig config, Instant from, long events) {
    return store.ledger().forecast(config, from, events);
  }

  /** Returns the time of the store's clock, by which slots are assigned. */
  public Instant now() {
    return store.ledger().now();
  }

  /** Stops the upkeep and closes the store. Nothing is assigned or changed from then on. */
  @Override
  public void close() {
    guard.close();
    upkeep.close();
    store.close();
  }

  /**
   * How requests are combined into batches.
   *
   * @param lanes maximum number of batches in progress at a time; a configuration is always in the
   *     same lane
   * @param maxBatch maximum number of requests in one transaction
   * @param maxWaiting maximum number of requests that wait in a lane
   * @param maxSideLanes maximum number of configurations locked by other transactions that are
   *     waited for at a time, and of configurations whose past windows are counted at a time. Each
   *     needs a connection
   */
  public record Settings(int lanes, int maxBatch, int maxWaiting, int maxSideLanes) {
    public static final Settings DEFAULT = new Settings(1, 4_096, 200_000, 4);

    public Settings {
      if (lanes < 1 || maxBatch < 1 || maxWaiting < maxBatch || maxSideLanes < 1) {
        throw new IllegalArgumentException(
            ("lanes %d, maxBatch %d and maxSideLanes %d must be at least 1,"
                    + " maxWaiting %d not below maxBatch")
                .formatted(lanes, maxBatch, maxSideLanes, maxWaiting));
      }
    }
  }

  /** Builds schedulers; every part has a safe default. */
  public static final class Builder {
    private static final System.Logger LOGGER = System.getLogger(SlotScheduler.class.getName());
    private static final int MAX_UPKEEP_STEPS = 50;
    private static final Duration MIN_UPKEEP_INTERVAL = Duration.ofMillis(1);
    private static final Duration MAX_UPKEEP_INTERVAL = Duration.ofDays(365);
    private static final Duration MAX_CONFIG_CACHE_TTL = Duration.ofDays(1);

    private final SlotStore store;
    private Settings settings = Settings.DEFAULT;
    private SlotObserver observer = SlotObserver.NONE;
    private Duration configCacheTtl = Duration.ofSeconds(5);
    private Duration retention = Reconciler.Settings.FOREVER;
    private Duration leakGrace = Duration.ofMinutes(5);
    private boolean reclaimsLeaked;
    private int maxUpkeepSteps = MAX_UPKEEP_STEPS;
    private Duration upkeepInterval = Duration.ofMinutes(1);
    private TaskLog log =
        new TaskLog(
            message -> LOGGER.log(Level.INFO, message),
            message -> LOGGER.log(Level.WARNING, message),
            (message, failure) -> LOGGER.log(Level.ERROR, message, failure));

    private Builder(SlotStore store) {
      this.store = requireNonNull(store, "store");
    }

    /** Sets how requests are combined into batches. */
    public Builder settings(Settings other) {
      this.settings = requireNonNull(other, "settings");
      return this;
    }

    /** Sets the receiver of events for metrics. */
    public Builder observer(SlotObserver other) {
      this.observer = requireNonNull(other, "observer");
      return this;
    }

    /** Sets the time for which a configuration is cached, up to a day; 5 seconds by default. */
    public Builder configCacheTtl(Duration ttl) {
      this.configCacheTtl = between("configCacheTtl", ttl, Duration.ZERO, MAX_CONFIG_CACHE_TTL);
      return this;
    }

    /** Sets the time for which past slots are kept, up to a century; forever by default. */
    public Builder retention(Duration other) {
      this.retention = requireNonNull(other, "retention");
      return this;
    }

    /**
     * Sets the time after which a slot that is due and not confirmed counts as leaked; 5 minutes by
     * default.
     */
    public Builder leakGrace(Duration other) {
      this.leakGrace = requireNonNull(other, "leakGrace");
      return this;
    }

    /** Sets whether the places of leaked slots are freed; off by default. */
    public Builder reclaimLeaked(boolean reclaims) {
      this.reclaimsLeaked = reclaims;
      return this;
    }

    /**
     * Sets the time between two rounds of upkeep, from a millisecond to a year, and the maximum
     * number of steps of each kind in a round.
     */
    public Builder upkeep(Duration interval, int maxSteps) {
      if (maxSteps < 1) {
        throw new IllegalArgumentException(
            "maxSteps of upkeep must be at least 1, not " + maxSteps);
      }
      this.upkeepInterval =
          between("upkeep interval", interval, MIN_UPKEEP_INTERVAL, MAX_UPKEEP_INTERVAL);
      this.maxUpkeepSteps = maxSteps;
      return this;
    }

    /** Sets the receiver of the upkeep's messages; {@link System.Logger} by default. */
    public Builder log(TaskLog other) {
      this.log = requireNonNull(other, "log");
      return this;
    }

    private static Duration between(String field, Duration value, Duration min, Duration max) {
      requireNonNull(value, field);
      if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
        throw new IllegalArgumentException(
            "%s must be from %s to %s, not %s".formatted(field, min, max, value));
      }
      return value;
    }

    private Reconciler.Settings reconciliation() {
      return new Reconciler.Settings(leakGrace, reclaimsLeaked, retention, maxUpkeepSteps);
    }

    public SlotScheduler build() {
      return new SlotScheduler(this);
    }
  }
}
