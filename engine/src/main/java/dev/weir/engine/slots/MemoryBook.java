package dev.weir.engine.slots;

import dev.weir.core.slots.Micros;
import dev.weir.core.slots.Page;
import dev.weir.core.slots.Picture;
import dev.weir.core.slots.Regrouping;
import dev.weir.core.slots.Terms;
import dev.weir.core.slots.Window;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** One configuration of the {@link MemorySlotLedger}, under its lock. */
final class MemoryBook implements Book {
  /** Newest first. */
  private final Deque<SlotConfig> history = new ArrayDeque<>();

  private final NavigableMap<SlotQuery.Cursor, Slot> slots =
      new TreeMap<>(
          Comparator.comparing(SlotQuery.Cursor::scheduledTime)
              .thenComparing(SlotQuery.Cursor::eventId));
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
  public Page page(long fromMicros) {
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
    slots.put(cursor(slot), slot);
  }

  void remove(Slot slot) {
    slots.remove(cursor(slot));
  }

  void free(Slot slot) {
    Terms terms = config().terms();
    long start = terms.windowStart(Micros.ceil(slot.scheduledTime()));
    if (windowMicros(slot) == terms.windowMicros()) {
      Window window = windows.get(start);
      if (window != null) {
        picture.release(window, slot.place());
      }
    } else {
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

  void removeWindowsBefore(Instant time) {
    windows.headMap(Micros.ceil(time) - config().terms().windowMicros(), true).clear();
  }

  Stream<Slot> slotsFrom(Instant from, SlotQuery.Cursor after) {
    return slots
        .tailMap(after, false)
        .tailMap(
            after.scheduledTime().isBefore(from) ? new SlotQuery.Cursor(from, "") : after, true)
        .values()
        .stream();
  }

  List<WindowCount> counts(WindowQuery query) {
    return windows
        .subMap(Micros.clamped(query.from()), true, Micros.clamped(query.until()), false)
        .values()
        .stream()
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

  private static SlotQuery.Cursor cursor(Slot slot) {
    return new SlotQuery.Cursor(slot.scheduledTime(), slot.eventId());
  }
}
