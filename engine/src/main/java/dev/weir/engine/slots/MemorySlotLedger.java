package dev.weir.engine.slots;

import dev.weir.core.Micros;
import dev.weir.core.slots.Forecast;
import dev.weir.core.slots.NotBefore;
import dev.weir.core.slots.Terms;
import dev.weir.core.slots.Wish;
import dev.weir.engine.StoreException;
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
 * A ledger in memory: for trying Weir without a database, for one process, for tests. Nothing
 * survives the process. Thread-safe by one lock.
 */
public final class MemorySlotLedger implements SlotLedger, SlotConfigs, SlotUpkeep {
  private final ReentrantLock lock = new ReentrantLock();
  private final InstantSource clock;
  private final RandomGenerator random;
  private final int mostSlots;
  private final Map<String, Slot> slots = new HashMap<>();
  private final Map<String, MemoryBook> books = new TreeMap<>();

  /**
   * @param mostSlots how many slots it keeps before it refuses more
   */
  public MemorySlotLedger(InstantSource clock, RandomGenerator random, int mostSlots) {
    this.clock = clock;
    this.random = random;
    this.mostSlots = mostSlots;
  }

  @Override
  public List<Assignment> assign(List<Demand> demands) {
    return locked(
        () -> {
          if (slots.size() + demands.size() > mostSlots) {
            throw new StoreException(
                StoreException.Outcome.NONE,
                "the ledger in memory is full: " + slots.size() + " slots");
          }
          BatchPlan plan = BatchPlan.of(demands, slots, books, Patience.FOR_ALL, now(), random);
          for (Slot slot : plan.fresh()) {
            replace(slot);
          }
          books.values().forEach(MemoryBook::keepChanges);
          return plan.answers();
        });
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
          MemoryBook book = books.get(query.configName());
          Instant now = now();
          return book == null
              ? List.of()
              : book.slotsFrom(query.from(), query.after())
                  .takeWhile(slot -> slot.scheduledTime().isBefore(query.until()))
                  .filter(slot -> query.filter().passes(slot, now))
                  .limit(query.limit())
                  .toList();
        });
  }

  @Override
  public List<WindowCount> windows(WindowQuery query) {
    return locked(
        () -> {
          MemoryBook book = books.get(query.config().name());
          return book == null ? List.of() : book.counts(query);
        });
  }

  @Override
  public Outlook forecast(SlotConfig config, Instant from, long events) {
    return locked(
        () -> {
          MemoryBook book = books.get(config.name());
          if (book == null) {
            throw new IllegalArgumentException("configName " + config.name() + " is unknown");
          }
          Terms terms = book.config().terms();
          Wish wish = new Wish(Micros.clamped(from), Micros.ceil(now()));
          return Outlook.of(
              new Forecast(terms, wish, events),
              book.picture(),
              start -> book.page(start).orElseThrow());
        });
  }

  @Override
  public SlotConfig configure(String name, Terms terms) {
    return locked(
        () -> {
          MemoryBook before = books.get(name);
          int version = before == null ? 1 : before.config().version() + 1;
          SlotConfig config = new SlotConfig(name, version, terms, now());
          if (before == null) {
            books.put(name, new MemoryBook(config));
          } else {
            before.change(config);
          }
          return config;
        });
  }

  @Override
  public Optional<SlotConfig> inForce(String name) {
    return locked(() -> Optional.ofNullable(books.get(name)).map(MemoryBook::config));
  }

  @Override
  public List<SlotConfig> history(String name) {
    return locked(
        () -> Optional.ofNullable(books.get(name)).map(MemoryBook::history).orElse(List.of()));
  }

  @Override
  public List<SlotConfig> active() {
    return locked(() -> books.values().stream().map(MemoryBook::config).toList());
  }

  @Override
  public boolean alone(Runnable work) {
    work.run();
    return true;
  }

  @Override
  public long countLeaked(Instant before, int most) {
    return locked(() -> leaked(before, most).count());
  }

  @Override
  public int reclaim(Instant before, int most) {
    return locked(
        () -> {
          List<Slot> leaked = leaked(before, most).toList();
          leaked.forEach(slot -> end(slot, SlotState.RECLAIMED));
          return leaked.size();
        });
  }

  @Override
  public int removePast(Instant before, int most) {
    return locked(
        () -> {
          List<Slot> past = new ArrayList<>();
          for (MemoryBook book : books.values()) {
            past.addAll(book.oldSlots(before, most - past.size()));
          }
          for (Slot slot : past) {
            slots.remove(slot.eventId());
            book(slot).remove(slot);
          }
          books.values().forEach(book -> book.removeWindowsBefore(before));
          return past.size();
        });
  }

  @Override
  public int tidy(int most) {
    return 0;
  }

  @Override
  public Instant now() {
    return Micros.instant(Micros.ceil(clock.instant()));
  }

  private Stream<Slot> leaked(Instant before, int most) {
    return books.values().stream()
        .flatMap(book -> book.slotsBefore(before))
        .filter(slot -> slot.state() == SlotState.ASSIGNED)
        .filter(slot -> slot.assignedAt().isBefore(before))
        .limit(most);
  }

  private Transition transition(String eventId, Function<Slot, Transition> change) {
    Slot slot = slots.get(eventId);
    return slot == null ? new Transition.Unknown() : change.apply(slot);
  }

  private Slot replace(Slot slot) {
    Slot before = slots.put(slot.eventId(), slot);
    if (before != null) {
      book(before).remove(before);
    }
    book(slot).add(slot);
    return slot;
  }

  private Slot end(Slot slot, SlotState state) {
    Slot ended = replace(slot.in(state));
    MemoryBook book = book(slot);
    boolean keepsPast = book.config().terms().notBefore() == NotBefore.REQUESTED;
    if (keepsPast || slot.scheduledTime().isAfter(now())) {
      book.free(slot);
    }
    return ended;
  }

  private MemoryBook book(Slot slot) {
    return Objects.requireNonNull(books.get(slot.configName()));
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
