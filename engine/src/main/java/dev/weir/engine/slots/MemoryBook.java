package dev.weir.engine.slots;

import dev.weir.core.Micros;
import dev.weir.core.slots.Page;
import dev.weir.core.slots.Picture;
import dev.weir.core.slots.Regrouping;
import dev.weir.core.slots.Terms;
import dev.weir.core.slots.Window;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** One configuration of the {@link MemorySlotLedger}, under its lock. */
final class MemoryBook implements Book {
  /** Newest first. */
  private final Deque<SlotConfig> history = new ArrayDeque<>();

  private final NavigableMap<SlotQuery.Cursor, Slot> slots = new TreeMap<>();
  private final NavigableMap<Long, Window> windows = new TreeMap<>();
  private Picture picture;

  MemoryBook(SlotConfig config) {
    history.push(config);
    picture = Picture.empty(config.terms());
  }

  @Override
  public SlotConfig config() {
    return history.getFirst();
  }

  @Override
  public Picture picture() {
    return picture;
  }

  @Override
  public Optional<Page> page(long fromMicros) {
    throw new IllegalStateException("the picture is complete, yet misses " + fromMicros);
  }

  List<SlotConfig> history() {
    return List.copyOf(history);
  }

  void change(SlotConfig next) {
    history.push(next);
    windows.clear();
    picture = Picture.empty(next.terms());
    regroup(slots.values().stream());
  }

  void add(Slot slot) {
    slots.put(SlotQuery.Cursor.of(slot), slot);
  }

  void remove(Slot slot) {
    slots.remove(SlotQuery.Cursor.of(slot));
  }

  void free(Slot slot) {
    Terms terms = config().terms();
    long start = terms.windowStart(Micros.ceil(slot.scheduledTime()));
    Window window = windows.get(start);
    if (window == null) {
      return;
    }
    if (window.lying() == 0) {
      picture.release(window, slot.place());
    } else {
      // Events from windows of another size may now lie on better places.
      picture.put(new Window(start));
      Instant end = Micros.instant(start + terms.windowMicros());
      regroup(
          slotsFrom(Micros.instant(start), SlotQuery.Cursor.START)
              .takeWhile(other -> other.scheduledTime().isBefore(end)));
    }
    keepChanges();
  }

  void keepChanges() {
    for (Window window : picture.drainChanges().windows()) {
      windows.put(window.startMicros(), window);
    }
  }

  /** Removes the windows that ended before a time, once their slots are gone. */
  void removeWindowsBefore(Instant time) {
    long cut = config().terms().windowStart(Micros.clamped(time));
    boolean slotsGone = slotsInWindowsBefore(time).findAny().isEmpty();
    if (slotsGone && !windows.headMap(cut).isEmpty()) {
      windows.headMap(cut).clear();
      picture = Picture.empty(config().terms());
      windows.values().forEach(picture::put);
      picture.drainChanges();
    }
  }

  Stream<Slot> slotsFrom(Instant from, SlotQuery.Cursor after) {
    SlotQuery.Cursor begin = new SlotQuery.Cursor(from, "");
    return slots.tailMap(begin.compareTo(after) > 0 ? begin : after, false).values().stream();
  }

  Stream<Slot> slotsBefore(Instant time) {
    return slots.headMap(new SlotQuery.Cursor(time, "")).values().stream();
  }

  /**
   * The slots of the first windows that ended before a time and hold none that was assigned after
   * it: a window is never removed in part.
   *
   * @param most stop after this many slots, with the window that holds them
   */
  List<Slot> oldSlots(Instant time, int most) {
    List<Slot> old = new ArrayList<>();
    List<Slot> window = new ArrayList<>();
    long start = Long.MIN_VALUE;
    for (Iterator<Slot> past = slotsInWindowsBefore(time).iterator();
        past.hasNext() && old.size() < most; ) {
      Slot slot = past.next();
      long slotStart = config().terms().windowStart(Micros.ceil(slot.scheduledTime()));
      if (slotStart != start) {
        addIfOld(window, time, old);
        window.clear();
        start = slotStart;
      }
      window.add(slot);
    }
    if (old.size() < most) {
      addIfOld(window, time, old);
    }
    return old;
  }

  private static void addIfOld(List<Slot> window, Instant time, List<Slot> old) {
    if (window.stream().allMatch(slot -> slot.assignedAt().isBefore(time))) {
      old.addAll(window);
    }
  }

  /** The slots of windows that ended before a time. */
  Stream<Slot> slotsInWindowsBefore(Instant time) {
    return slotsBefore(Micros.instant(config().terms().windowStart(Micros.clamped(time))));
  }

  List<WindowCount> counts(WindowQuery query) {
    return windows.tailMap(Micros.clamped(query.from()), true).values().stream()
        .takeWhile(window -> Micros.instant(window.startMicros()).isBefore(query.until()))
        .filter(window -> window.taken() > 0)
        .limit(query.limit())
        .map(window -> new WindowCount(Micros.instant(window.startMicros()), window.taken()))
        .toList();
  }

  private void regroup(Stream<Slot> inOrder) {
    Regrouping regrouping = new Regrouping(config().terms(), picture::put);
    inOrder
        .filter(slot -> slot.state().holds())
        .forEach(
            slot ->
                regrouping.add(
                    Micros.ceil(slot.scheduledTime()), slot.place(), windowMicros(slot)));
    regrouping.finish();
    keepChanges();
  }

  /** The window size under which a slot was given. */
  private long windowMicros(Slot slot) {
    SlotConfig version =
        history.stream()
            .filter(config -> config.version() == slot.configVersion())
            .findFirst()
            .orElse(null);
    return Objects.requireNonNull(version).terms().windowMicros();
  }
}
