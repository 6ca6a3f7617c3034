package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotState;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Regrouping;
import dev.weir.slots.planning.internal.Window;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The tables of one configuration in {@link SlotsModel}. Immutable, and small: most of the time of
 * an exploration is spent on comparing states.
 *
 * @param slots the rows of slots, by event
 * @param windows the rows of windows, by start
 * @param runs the rows of runs, from and until
 */
record ModelTables(
    long seq,
    Version version,
    Map<String, Taken> slots,
    Map<Long, Stored> windows,
    Map<Long, Long> runs) {
  private static final long WINDOW_MICROS = 1_000_000;

  /** A version of the configuration. Each change turns two events a window into one, or back. */
  record Version(int number, long createdAtMicros) {
    private static final List<SlotPolicy> POLICIES =
        List.of(
            SlotPolicy.of(1, Micros.duration(WINDOW_MICROS)),
            SlotPolicy.of(2, Micros.duration(WINDOW_MICROS)));

    SlotPolicy policy() {
      return POLICIES.get((int) createdAtMicros % 2);
    }

    SlotConfig config() {
      return new SlotConfig(SlotsModel.CONFIG, number, policy(), Micros.instant(createdAtMicros));
    }

    ConfigRow row(long seq) {
      return new ConfigRow(
          1, SlotsModel.CONFIG, number, createdAtMicros, number, Long.MIN_VALUE, seq, 0);
    }
  }

  /** A row of {@code slot}. */
  record Taken(int version, long start, int place, boolean isHeld) {
    static Taken of(Slot slot) {
      return new Taken(
          slot.configVersion(),
          Micros.ceil(slot.windowStart()),
          slot.place(),
          slot.state().holds());
    }

    Slot slot(String event) {
      return new Slot(
          event,
          SlotsModel.CONFIG,
          version,
          SlotsModel.NOW,
          Micros.instant(start),
          place,
          Micros.instant(scheduledMicros()),
          isHeld ? SlotState.ASSIGNED : SlotState.CANCELLED,
          SlotsModel.NOW);
    }

    private long scheduledMicros() {
      return start + Places.offsetMicros(place, WINDOW_MICROS);
    }

    @Override
    public String toString() {
      return "place %d of window %d%s"
          .formatted(place, start / WINDOW_MICROS, isHeld ? "" : ", cancelled");
    }
  }

  /** A row of {@code slot_window}. */
  record Stored(long places, int offGrid, boolean isFull) {
    static Stored of(Window window, boolean isFull) {
      long[] words = BitSet.valueOf(window.toBytes()).toLongArray();
      return new Stored(words.length == 0 ? 0 : words[0], window.offGrid(), isFull);
    }

    Window window(long start) {
      return Window.of(start, BitSet.valueOf(new long[] {places}).toByteArray(), offGrid);
    }
  }

  static ModelTables empty() {
    return new ModelTables(1, new Version(1, 1), Map.of(), Map.of(), Map.of());
  }

  ConfigRow row() {
    return version.row(seq);
  }

  /** Returns one window, and all runs: a page that has reached its limit of windows. */
  Page page(long start) {
    Stored stored = windows.get(start);
    return new Page(
        start,
        start + WINDOW_MICROS,
        stored == null || stored.isFull() ? List.of() : List.of(stored.window(start)),
        ModelView.runs(runs));
  }

  /** As {@link PostgresqlSlotWriter}. */
  ModelTables with(String event, Taken taken, ModelView.Delta changes, long nextSeq) {
    return new ModelTables(
        nextSeq,
        version,
        SlotsModel.with(slots, event, taken),
        changes.windows(windows),
        changes.runs(runs));
  }

  /** As {@link SlotEndings}, with {@link JdbcWindows#free}. */
  ModelTables cancelled(String event, Taken taken, long nextSeq) {
    OccupancyView view = new OccupancyView(version.policy(), Long.MIN_VALUE);
    view.add(page(taken.start()));
    Stored stored = windows.getOrDefault(taken.start(), new Stored(0, 0, false));
    view.release(stored.window(taken.start()), taken.place());
    Taken ended = new Taken(taken.version(), taken.start(), taken.place(), false);
    return with(event, ended, ModelView.Delta.of(view), nextSeq);
  }

  /** As {@link JdbcSlotConfigs}: the next version on the next grid, rebuilt from the slots. */
  ModelTables changed(long createdAtMicros, long nextSeq) {
    Version next = new Version(version.number() + 1, createdAtMicros);
    OccupancyView view = new OccupancyView(next.policy(), Long.MIN_VALUE);
    Regrouping regrouping = new Regrouping(next.policy(), view::put);
    slots.values().stream()
        .filter(Taken::isHeld)
        .sorted(Comparator.comparingLong(Taken::scheduledMicros))
        .forEach(taken -> regrouping.add(taken.scheduledMicros(), taken.place(), WINDOW_MICROS));
    regrouping.finish();
    ModelView.Delta rebuilt = ModelView.Delta.of(view);
    return new ModelTables(nextSeq, next, slots, rebuilt.windows(Map.of()), rebuilt.runs(Map.of()));
  }

  /** Returns the number of events in a window. */
  long held(long start) {
    return slots.values().stream()
        .filter(taken -> taken.isHeld() && taken.start() == start)
        .count();
  }

  /** Returns where the windows differ from the slots in them. */
  Optional<String> mismatch() {
    Map<Long, Long> places = new TreeMap<>();
    for (Taken taken : slots.values()) {
      long bit = 1L << taken.place();
      if (taken.isHeld()) {
        if ((places.getOrDefault(taken.start(), 0L) & bit) != 0) {
          return Optional.of("two events are on " + taken);
        }
        places.merge(taken.start(), bit, (one, other) -> one | other);
      }
    }
    Map<Long, Long> stored = new TreeMap<>();
    windows.forEach(
        (start, window) -> {
          if (window.places() != 0) {
            stored.put(start, window.places());
          }
        });
    return places.equals(stored)
        ? Optional.empty()
        : Optional.of(
            "places of windows are %s, those of their slots %s".formatted(stored, places));
  }
}
