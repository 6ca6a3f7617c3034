package dev.weir.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotState;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Regrouping;
import dev.weir.slots.planning.internal.Window;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The windows of one configuration of a {@link MemorySlotLedger}, guarded by its lock. */
final class MemoryWindows implements LockedWindows {
  /** The versions of the configuration, newest first. */
  private final Deque<SlotConfig> history = new ArrayDeque<>();

  private final NavigableMap<SlotQuery.Cursor, Slot> slots = new TreeMap<>();
  private final NavigableMap<Long, Window> windows = new TreeMap<>();
  private OccupancyView view;

  MemoryWindows(SlotConfig config) {
    history.push(config);
    view = OccupancyView.empty(config.policy());
  }

  @Override
  public SlotConfig config() {
    return history.getFirst();
  }

  @Override
  public OccupancyView view() {
    return view;
  }

  @Override
  public Optional<Page> page(long fromMicros) {
    throw new IllegalStateException("the view is complete, but does not cover " + fromMicros);
  }

  List<SlotConfig> history() {
    return List.copyOf(history);
  }

  void change(SlotConfig next) {
    history.push(next);
    windows.clear();
    view = OccupancyView.empty(next.policy());
    regroup(slots.values().stream());
  }

  void add(Slot slot) {
    slots.put(SlotQuery.Cursor.of(slot), slot);
  }

  void remove(Slot slot) {
    slots.remove(SlotQuery.Cursor.of(slot));
  }

  void free(Slot slot) {
    SlotPolicy policy = config().policy();
    long start = policy.windowStart(Micros.ceil(slot.scheduledTime()));
    Window window = windows.get(start);
    if (window == null) {
      return;
    }
    if (window.offGrid() == 0) {
      view.release(window, slot.place());
      keepChanges();
    } else {
      // Events whose times are not those of places may now fit better ones.
      rebuild(start);
    }
  }

  /** Rebuilds a window from the slots in it. */
  void rebuild(long start) {
    view.put(new Window(start));
    Instant end = Micros.instant(start + config().policy().windowMicros());
    regroup(
        slotsFrom(Optional.of(Micros.instant(start)), Optional.empty())
            .takeWhile(other -> other.scheduledTime().isBefore(end)));
  }

  void keepChanges() {
    for (Window window : view.drainChanges().windows()) {
      windows.put(window.startMicros(), window);
    }
  }

  /** Removes the windows that ended before a time, once their slots are removed. */
  void removeWindowsBefore(Instant time) {
    long cut = config().policy().windowStart(Micros.clamped(time));
    boolean slotsGone = slotsInWindowsBefore(time).findAny().isEmpty();
    if (slotsGone && !windows.headMap(cut).isEmpty()) {
      windows.headMap(cut).clear();
      view = OccupancyView.empty(config().policy());
      windows.values().forEach(view::put);
      view.drainChanges();
    }
  }

  Stream<Slot> slotsFrom(Optional<Instant> from, Optional<SlotQuery.Cursor> after) {
    return Stream.concat(from.map(time -> new SlotQuery.Cursor(time, "")).stream(), after.stream())
        .max(Comparator.naturalOrder())
        .map(begin -> slots.tailMap(begin, false))
        .orElse(slots)
        .values()
        .stream();
  }

  /** Returns true if a slot is confirmed. */
  boolean hasConfirmed() {
    return slots.values().stream().anyMatch(slot -> slot.state() == SlotState.CONFIRMED);
  }

  Stream<Slot> slotsBefore(Instant time) {
    return slots.headMap(new SlotQuery.Cursor(time, "")).values().stream();
  }

  /**
   * Returns the slots of the first windows that ended before a time and hold none that was assigned
   * after it: a window is never removed in part.
   *
   * @param max the number of slots after which to stop; the window that reaches it is complete
   */
  List<Slot> oldSlots(Instant time, int max) {
    List<Slot> old = new ArrayList<>();
    List<Slot> window = new ArrayList<>();
    long start = Long.MIN_VALUE;
    for (Iterator<Slot> past = slotsInWindowsBefore(time).iterator();
        past.hasNext() && old.size() < max; ) {
      Slot slot = past.next();
      long slotStart = config().policy().windowStart(Micros.ceil(slot.scheduledTime()));
      if (slotStart != start) {
        addIfOld(window, time, old);
        window.clear();
        start = slotStart;
      }
      window.add(slot);
    }
    if (old.size() < max) {
      addIfOld(window, time, old);
    }
    return old;
  }

  private static void addIfOld(List<Slot> window, Instant time, List<Slot> old) {
    if (window.stream().allMatch(slot -> slot.assignedAt().isBefore(time))) {
      old.addAll(window);
    }
  }

  /** Returns the slots of windows that ended before a time. */
  Stream<Slot> slotsInWindowsBefore(Instant time) {
    return slotsBefore(Micros.instant(config().policy().windowStart(Micros.clamped(time))));
  }

  List<WindowCount> counts(WindowQuery query) {
    return windows
        .tailMap(query.from().map(Micros::clamped).orElse(Micros.EARLIEST), true)
        .values()
        .stream()
        .takeWhile(
            window ->
                query.until().isEmpty()
                    || Micros.instant(window.startMicros()).isBefore(query.until().get()))
        .filter(window -> window.taken() > 0)
        .limit(query.limit())
        .map(window -> new WindowCount(Micros.instant(window.startMicros()), window.taken()))
        .toList();
  }

  private void regroup(Stream<Slot> inOrder) {
    Regrouping regrouping = new Regrouping(config().policy(), view::put);
    inOrder
        .filter(slot -> slot.state().holds())
        .forEach(
            slot ->
                regrouping.add(
                    Micros.ceil(slot.scheduledTime()), slot.place(), windowMicros(slot)));
    regrouping.finish();
    keepChanges();
  }

  /** Returns the window size under which a slot was assigned. */
  private long windowMicros(Slot slot) {
    SlotConfig version =
        history.stream()
            .filter(config -> config.version() == slot.configVersion())
            .findFirst()
            .orElse(null);
    return Objects.requireNonNull(version).policy().windowMicros();
  }
}
