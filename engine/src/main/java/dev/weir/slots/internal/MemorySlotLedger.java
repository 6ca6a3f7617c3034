package dev.weir.slots.internal;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.slots.AdoptRequest;
import dev.weir.slots.Adoption;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.NotBefore;
import dev.weir.slots.Overfull;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotConfigs;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotState;
import dev.weir.slots.SlotUpkeep;
import dev.weir.slots.Transition;
import dev.weir.slots.WaitMode;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import dev.weir.slots.planning.internal.Forecast;
import dev.weir.slots.planning.internal.PlacementRequest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * An in-memory ledger for tests, for a single process, or for trying Weir without a database.
 * Nothing survives the process. Thread-safe by a single lock.
 */
public final class MemorySlotLedger implements SlotLedger, SlotConfigs, SlotUpkeep {
  private final ReentrantLock lock = new ReentrantLock();
  private final InstantSource clock;
  private final RandomGenerator random;
  private final int maxSlots;
  private final Map<String, Slot> slots = new HashMap<>();
  private final Map<String, MemoryWindows> windowsByName = new TreeMap<>();

  /**
   * Creates an empty ledger.
   *
   * @param maxSlots the number of slots beyond which requests are rejected
   */
  public MemorySlotLedger(InstantSource clock, RandomGenerator random, int maxSlots) {
    this.clock = clock;
    this.random = random;
    this.maxSlots = maxSlots;
  }

  @Override
  public List<Assignment> assign(List<AssignRequest> requests) {
    return locked(
        () -> {
          requireRoom(requests.size());
          BatchPlan plan =
              BatchPlan.of(requests, slots, windowsByName, WaitMode.FOR_ALL, now(), random);
          for (Slot slot : plan.fresh()) {
            replace(slot);
          }
          windowsByName.values().forEach(MemoryWindows::keepChanges);
          return plan.assignments();
        });
  }

  @Override
  public List<Adoption> adopt(String configName, List<AdoptRequest> requests, Overfull overfull) {
    return locked(
        () -> {
          MemoryWindows windows = windowsByName.get(configName);
          if (windows == null) {
            return AdoptionPlan.withoutConfig(requests).results();
          }
          requireRoom(requests.size());
          AdoptionPlan plan = AdoptionPlan.of(requests, slots, windows, overfull, now());
          plan.fresh().forEach(this::replace);
          plan.changedWindows().forEach(windows::rebuild);
          return plan.results();
        });
  }

  private void requireRoom(int requests) {
    if (slots.size() + requests > maxSlots) {
      throw new StoreException(
          StoreException.Outcome.NONE,
          "the in-memory ledger is full: it holds " + slots.size() + " slots");
    }
  }

  @Override
  public Optional<Slot> find(String eventId) {
    return locked(() -> Optional.ofNullable(slots.get(eventId)));
  }

  @Override
  public Transition confirm(String eventId) {
    return locked(
        () ->
            transition(
                eventId,
                slot ->
                    slot.state().holds()
                        ? new Transition.Done(replace(slot.in(SlotState.CONFIRMED)))
                        : new Transition.Conflict(slot)));
  }

  @Override
  public Transition cancel(String eventId) {
    return locked(
        () ->
            transition(
                eventId,
                slot ->
                    switch (slot.state()) {
                      case CANCELLED, RECLAIMED -> new Transition.Done(slot);
                      case CONFIRMED -> new Transition.Conflict(slot);
                      case ASSIGNED -> new Transition.Done(end(slot, SlotState.CANCELLED));
                    }));
  }

  @Override
  public List<Slot> list(SlotQuery query) {
    return locked(
        () -> {
          MemoryWindows windows = windowsByName.get(query.configName());
          Instant now = now();
          return windows == null
              ? List.of()
              : windows
                  .slotsFrom(query.from(), query.after())
                  .takeWhile(
                      slot ->
                          query.until().isEmpty()
                              || slot.scheduledTime().isBefore(query.until().get()))
                  .filter(slot -> query.filter().passes(slot, now))
                  .limit(query.limit())
                  .toList();
        });
  }

  @Override
  public List<WindowCount> windows(WindowQuery query) {
    return locked(
        () -> {
          MemoryWindows windows = windowsByName.get(query.config().name());
          return windows == null ? List.of() : windows.counts(query);
        });
  }

  @Override
  public ForecastResult forecast(SlotConfig config, Instant from, long events) {
    return locked(
        () -> {
          MemoryWindows windows = windowsByName.get(config.name());
          if (windows == null) {
            throw new IllegalArgumentException("configName " + config.name() + " is unknown");
          }
          SlotPolicy policy = windows.config().policy();
          PlacementRequest request = new PlacementRequest(Micros.clamped(from), Micros.ceil(now()));
          return ForecastRun.run(
              new Forecast(policy, request, events),
              windows.view(),
              start -> windows.page(start).orElseThrow());
        });
  }

  @Override
  public SlotConfig configure(String name, SlotPolicy policy) {
    return locked(() -> change(name, policy));
  }

  @Override
  public Optional<SlotConfig> configure(String name, int version, SlotPolicy policy) {
    return locked(
        () -> {
          MemoryWindows before = windowsByName.get(name);
          int inForce = before == null ? 0 : before.config().version();
          return inForce == version ? Optional.of(change(name, policy)) : Optional.empty();
        });
  }

  private SlotConfig change(String name, SlotPolicy policy) {
    MemoryWindows before = windowsByName.get(name);
    int version = before == null ? 1 : before.config().version() + 1;
    SlotConfig config = new SlotConfig(name, version, policy, now());
    if (before == null) {
      windowsByName.put(name, new MemoryWindows(config));
    } else {
      before.change(config);
    }
    return config;
  }

  @Override
  public Optional<SlotConfig> inForce(String name) {
    return locked(() -> Optional.ofNullable(windowsByName.get(name)).map(MemoryWindows::config));
  }

  @Override
  public List<SlotConfig> history(String name) {
    return locked(
        () ->
            Optional.ofNullable(windowsByName.get(name))
                .map(MemoryWindows::history)
                .orElse(List.of()));
  }

  @Override
  public List<SlotConfig> active() {
    return locked(() -> windowsByName.values().stream().map(MemoryWindows::config).toList());
  }

  @Override
  public boolean runExclusively(Runnable work) {
    work.run();
    return true;
  }

  @Override
  public long countLeaked(Instant before, int max) {
    return locked(
        () ->
            windowsByName.values().stream()
                .filter(MemoryWindows::hasConfirmed)
                .flatMap(windows -> leaked(windows, before))
                .limit(max)
                .count());
  }

  @Override
  public int reclaim(Instant before, int max) {
    return locked(
        () -> {
          List<Slot> leaked = leaked(before, max).toList();
          leaked.forEach(slot -> end(slot, SlotState.RECLAIMED));
          return leaked.size();
        });
  }

  @Override
  public int removePast(Instant before, int max) {
    return locked(
        () -> {
          List<Slot> past = new ArrayList<>();
          for (MemoryWindows windows : windowsByName.values()) {
            past.addAll(windows.oldSlots(before, max - past.size()));
          }
          for (Slot slot : past) {
            slots.remove(slot.eventId());
            windowsOf(slot).remove(slot);
          }
          windowsByName.values().forEach(windows -> windows.removeWindowsBefore(before));
          return past.size();
        });
  }

  @Override
  public int tidy(int max) {
    return 0;
  }

  @Override
  public Instant now() {
    return Micros.instant(Micros.ceil(clock.instant()));
  }

  private Stream<Slot> leaked(Instant before, int max) {
    return windowsByName.values().stream().flatMap(windows -> leaked(windows, before)).limit(max);
  }

  private static Stream<Slot> leaked(MemoryWindows windows, Instant before) {
    return windows
        .slotsBefore(before)
        .filter(slot -> slot.state() == SlotState.ASSIGNED)
        .filter(slot -> slot.assignedAt().isBefore(before));
  }

  private Transition transition(String eventId, Function<Slot, Transition> change) {
    Slot slot = slots.get(eventId);
    return slot == null ? new Transition.Unknown() : change.apply(slot);
  }

  private Slot replace(Slot slot) {
    Slot before = slots.put(slot.eventId(), slot);
    if (before != null) {
      windowsOf(before).remove(before);
    }
    windowsOf(slot).add(slot);
    return slot;
  }

  private Slot end(Slot slot, SlotState state) {
    Slot ended = replace(slot.in(state));
    MemoryWindows windows = windowsOf(slot);
    boolean keepsPast = windows.config().policy().notBefore() == NotBefore.REQUESTED;
    if (keepsPast || slot.scheduledTime().isAfter(now())) {
      windows.free(slot);
    }
    return ended;
  }

  private MemoryWindows windowsOf(Slot slot) {
    return Objects.requireNonNull(windowsByName.get(slot.configName()));
  }

  private <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }
}
