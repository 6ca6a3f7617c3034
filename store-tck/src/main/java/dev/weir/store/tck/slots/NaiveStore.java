package dev.weir.store.tck.slots;

import dev.weir.internal.Micros;
import dev.weir.slots.AdoptRequest;
import dev.weir.slots.Adoption;
import dev.weir.slots.Assignment;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.NotBefore;
import dev.weir.slots.Overfull;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotState;
import dev.weir.slots.Spread;
import dev.weir.slots.Transition;
import dev.weir.slots.planning.internal.PolicyTimes;
import dev.weir.store.tck.slots.NaiveConfig.Held;
import dev.weir.store.tck.slots.NaiveConfig.Spot;
import dev.weir.store.tck.slots.NaiveConfig.Wanted;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The model of a store: the right results of every ledger, computed in the simplest way. */
final class NaiveStore {
  private final Map<String, NaiveConfig> configs = new LinkedHashMap<>();
  private final InstantSource clock;

  NaiveStore(InstantSource clock) {
    this.clock = clock;
  }

  /** Returns a copy to experiment on. */
  NaiveStore copy() {
    NaiveStore copy = new NaiveStore(clock);
    configs.forEach((name, config) -> copy.configs.put(name, config.copy()));
    return copy;
  }

  NaiveConfig config(String name) {
    return Objects.requireNonNull(configs.get(name));
  }

  void configure(SlotConfig config) {
    NaiveConfig known = configs.get(config.name());
    if (known == null) {
      configs.put(config.name(), new NaiveConfig(config.policy()));
    } else {
      known.change(config.policy());
    }
  }

  Optional<Slot> find(String eventId) {
    return held(eventId).map(Held::slot);
  }

  /** Returns the right result. Where the time is random, that of {@code actual} is adopted. */
  Assignment assign(SlotRequest request, Assignment actual) {
    Optional<Slot> before = find(request.eventId()).filter(slot -> slot.state().holds());
    if (before.isPresent()) {
      return new Assignment.Assigned(before.get(), true, 0);
    }
    NaiveConfig config = config(request.configName());
    boolean random = config.policy().spread() == Spread.RANDOM;
    Wanted wanted = wanted(request.requestedTime());
    Spot spot = config.find(wanted);
    if (!spot.inTime()) {
      return random && actual instanceof Assignment.NoCapacity
          ? actual
          : new Assignment.NoCapacity(
              request,
              Optional.of(Micros.instant(spot.micros())),
              retryAfter(request, config.policy(), wanted, spot));
    }
    long micros = random ? chosen(config, wanted, spot, actual) : spot.micros();
    Slot slot =
        new Slot(
            request.eventId(),
            request.configName(),
            config.versions.size(),
            Micros.instant(wanted.requestedMicros()),
            Micros.instant(spot.windowStart()),
            spot.place(),
            Micros.instant(micros),
            SlotState.ASSIGNED,
            clock.instant());
    configs.values().forEach(other -> other.slots.removeIf(held -> isOf(held, slot.eventId())));
    config.add(slot);
    return new Assignment.Assigned(slot, false, spot.lookahead());
  }

  /** Returns the right results of events that are adopted together. */
  List<Adoption> adopt(String configName, List<AdoptRequest> requests, Overfull overfull) {
    return requests.stream().map(request -> adopt(configName, request, overfull)).toList();
  }

  private Adoption adopt(String configName, AdoptRequest request, Overfull overfull) {
    NaiveConfig config = config(configName);
    Instant time = request.scheduledTime();
    Optional<Slot> before = find(request.eventId());
    if (before.isPresent()) {
      Slot slot = before.get();
      return slot.configName().equals(configName) && slot.scheduledTime().equals(time)
          ? new Adoption.Repeated(slot)
          : new Adoption.Conflict(request, slot);
    }
    long start = config.windowStart(Micros.ceil(time));
    boolean fits = config.taken(start).size() < config.places(start);
    if (!fits && overfull == Overfull.REFUSE) {
      return new Adoption.Full(request, Micros.instant(start), config.places(start));
    }
    Slot slot =
        new Slot(
            request.eventId(),
            configName,
            config.versions.size(),
            request.requestedTime().orElse(time),
            Micros.instant(start),
            fits ? Slot.ADOPTED : Slot.ADOPTED_OVERFULL,
            time,
            request.state(),
            clock.instant());
    config.slots.add(new Held(slot, Held.NO_PLACE));
    return new Adoption.Adopted(slot);
  }

  private Wanted wanted(Optional<Instant> requested) {
    long now = Micros.ceil(clock.instant());
    return new Wanted(requested.map(Micros::ceil).orElse(now), now);
  }

  private static Optional<Duration> retryAfter(
      SlotRequest request, SlotPolicy policy, Wanted wanted, Spot spot) {
    if (policy.notBefore() == NotBefore.REQUESTED && request.requestedTime().isPresent()) {
      return Optional.empty();
    }
    long wait = spot.micros() - PolicyTimes.maxDelayMicros(policy) - wanted.nowMicros();
    return Optional.of(Micros.duration(Math.max(wait, Micros.PER_SECOND)));
  }

  /** Returns the random time of the actual result, if it is a valid one. */
  private static long chosen(NaiveConfig config, Wanted wanted, Spot spot, Assignment actual) {
    long from = Math.max(config.from(wanted), spot.windowStart());
    long end = spot.windowStart() + config.policy().windowMicros();
    if (actual instanceof Assignment.Assigned assigned) {
      long micros = Micros.ceil(assigned.slot().scheduledTime());
      if (micros >= from
          && micros < end
          && micros <= config.latest(wanted)
          && config.isOpen(micros)) {
        return micros;
      }
    }
    return from;
  }

  Transition confirm(String eventId) {
    Optional<Held> found = held(eventId);
    if (found.isEmpty()) {
      return new Transition.Unknown();
    }
    Slot slot = found.get().slot();
    if (!slot.state().holds()) {
      return new Transition.Conflict(slot);
    }
    Slot confirmed = slot.in(SlotState.CONFIRMED);
    List<Held> slots = config(slot.configName()).slots;
    slots.remove(found.get());
    slots.add(new Held(confirmed, found.get().windowMicros()));
    return new Transition.Done(confirmed);
  }

  Transition cancel(String eventId) {
    Optional<Held> found = held(eventId);
    if (found.isEmpty()) {
      return new Transition.Unknown();
    }
    Slot slot = found.get().slot();
    if (slot.state() == SlotState.CONFIRMED) {
      return new Transition.Conflict(slot);
    }
    if (slot.state() == SlotState.ASSIGNED) {
      return new Transition.Done(end(found.get(), SlotState.CANCELLED));
    }
    return new Transition.Done(slot);
  }

  private Slot end(Held held, SlotState state) {
    Slot ended = held.slot().in(state);
    config(ended.configName()).end(held, ended, Micros.ceil(clock.instant()));
    return ended;
  }

  List<Held> leaked(Instant before) {
    return all()
        .filter(held -> held.slot().state() == SlotState.ASSIGNED)
        .filter(held -> held.slot().scheduledTime().isBefore(before))
        .filter(held -> held.slot().assignedAt().isBefore(before))
        .toList();
  }

  /** Where no slot was ever confirmed, none is counted as leaked. */
  long countLeaked(Instant before) {
    return leaked(before).stream()
        .filter(
            held ->
                all()
                    .map(Held::slot)
                    .filter(slot -> slot.configName().equals(held.slot().configName()))
                    .anyMatch(slot -> slot.state() == SlotState.CONFIRMED))
        .count();
  }

  int reclaim(Instant before) {
    List<Held> leaked = leaked(before);
    leaked.forEach(held -> end(held, SlotState.RECLAIMED));
    return leaked.size();
  }

  void reclaim(String configName, Instant before) {
    leaked(before).stream()
        .filter(held -> held.slot().configName().equals(configName))
        .forEach(held -> end(held, SlotState.RECLAIMED));
  }

  int removePast(Instant before) {
    int held = (int) all().count();
    configs.values().forEach(config -> config.removeBefore(Micros.ceil(before)));
    return held - (int) all().count();
  }

  /**
   * Returns the last time up to {@code before} that cuts no configuration's window in two, and
   * before which there is no slot that was assigned later: only then are windows removed with all
   * their slots.
   */
  Instant betweenWindows(Instant before) {
    long cut = Micros.ceil(before);
    boolean moved = true;
    while (moved) {
      moved = false;
      for (NaiveConfig config : configs.values()) {
        long size = config.policy().windowMicros();
        long start = Math.floorDiv(cut, size) * size;
        long end = cut;
        if (Stream.concat(config.slots.stream(), config.ghosts.stream())
            .anyMatch(held -> held.isIn(start, end))) {
          cut = start;
          moved = true;
        }
        OptionalLong late =
            config.slots.stream()
                .filter(held -> Micros.ceil(held.slot().assignedAt()) >= end)
                .mapToLong(Held::micros)
                .filter(micros -> micros < end)
                .min();
        if (late.isPresent()) {
          cut = Math.min(cut, late.getAsLong());
          moved = true;
        }
      }
    }
    return Micros.instant(cut);
  }

  List<Slot> list(String configName, Instant from, Instant until, SlotQuery.Filter filter) {
    return config(configName).slots.stream()
        .map(Held::slot)
        .filter(slot -> !slot.scheduledTime().isBefore(from))
        .filter(slot -> slot.scheduledTime().isBefore(until))
        .filter(slot -> passes(slot, filter))
        .sorted(Comparator.comparing(Slot::scheduledTime).thenComparing(Slot::eventId))
        .toList();
  }

  private boolean passes(Slot slot, SlotQuery.Filter filter) {
    return switch (filter) {
      case ALL -> true;
      case ASSIGNED, CONFIRMED, CANCELLED, RECLAIMED ->
          slot.state() == SlotState.valueOf(filter.name());
      case LEAKED ->
          slot.state() == SlotState.ASSIGNED && slot.scheduledTime().isBefore(clock.instant());
    };
  }

  ForecastResult forecast(String configName, Instant from, int events) {
    NaiveConfig config = config(configName).copy();
    boolean random = config.policy().spread() == Spread.RANDOM;
    Wanted wanted = wanted(Optional.of(from));
    long last = Long.MIN_VALUE;
    long window = Long.MIN_VALUE;
    for (int i = 0; i < events; i++) {
      Spot spot = config.find(wanted);
      if (!spot.inTime()) {
        return new ForecastResult.NoCapacity(i);
      }
      window = spot.windowStart();
      last = Math.max(last, random ? window + config.policy().windowMicros() - 1 : spot.micros());
      Instant start = Micros.instant(window);
      Instant time = random ? start : Micros.instant(spot.micros());
      config.add(
          new Slot("+" + i, "", 0, start, start, spot.place(), time, SlotState.ASSIGNED, start));
    }
    return new ForecastResult.Completion(Micros.instant(window), Micros.instant(last));
  }

  private Optional<Held> held(String eventId) {
    return all().filter(held -> isOf(held, eventId)).findFirst();
  }

  private static boolean isOf(Held held, String eventId) {
    return held.slot().eventId().equals(eventId);
  }

  private Stream<Held> all() {
    return configs.values().stream().flatMap(config -> config.slots.stream());
  }
}
