package dev.weir.engine.slots;

import dev.weir.core.Micros;
import dev.weir.core.slots.OccupancyView;
import dev.weir.core.slots.Page;
import dev.weir.core.slots.Regrouping;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.core.slots.Window;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** One configuration of the {@link MemorySlotLedger}, under its lock. */
final class MemoryWindows implements LockedWindows {
  /** Newest first. */
  private final Deque<SlotConfig> history = new ArrayDeque<>();

  private final NavigableMap<SlotQuery.Cursor, Slot> slots = new TreeMap<>();
  private final NavigableMap<Long, Window> windows = new TreeMap<>();
  private OccupancyView picture;

  MemoryWindows(SlotConfig config) {
    history.push(config);
    picture = OccupancyView.empty(config.terms());
  }

  @Override
  public SlotConfig config() {
    return history.getFirst();
  }

  @Override
  public OccupancyView picture() {
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
    picture = OccupancyView.empty(next.terms());
    regroup(slots.values().stream());
  }

  void add(Slot slot) {
    slots.put(SlotQuery.Cursor.of(slot), slot);
  }

  void remove(Slot slot) {
    slots.remove(SlotQuery.Cursor.of(slot));
  }

  void free(Slot slot) {
    SlotPolicy terms = config().terms();
    long start = terms.windowStart(Micros.ceil(slot.scheduledTime()));
    if (hasOneSize()) {
      Window window = windows.get(start);
      if (window != null) {
        picture.release(window, slot.place());
      }
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
      picture = OccupancyView.empty(config().terms());
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

  /** The slots of windows that ended before a time: a window is never removed in part. */
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

  /** Whether all slots have been given under windows of the size in force. */
  private boolean hasOneSize() {
    long size = config().terms().windowMicros();
    return history.stream().allMatch(version -> version.terms().windowMicros() == size);
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
