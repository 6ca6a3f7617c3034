package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.SlotConfig;
import dev.weir.slots.internal.LockedWindows;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A view of windows in {@link SlotsModel}, as a value from which a real one can be made.
 *
 * @param seq the sequence number at which the view was accurate
 * @param windows the known windows that have events and are not full, by start
 * @param covered the starts of all known windows
 */
record ModelView(
    long seq,
    ModelTables.Version version,
    Map<Long, ModelTables.Stored> windows,
    Map<Long, Long> runs,
    List<Long> covered) {

  static ModelView empty(long seq, ModelTables.Version version) {
    return new ModelView(seq, version, Map.of(), Map.of(), List.of());
  }

  static List<Page.Run> runs(Map<Long, Long> runs) {
    return runs.entrySet().stream().map(run -> new Page.Run(run.getKey(), run.getValue())).toList();
  }

  private OccupancyView real() {
    OccupancyView view = new OccupancyView(version.policy(), Long.MIN_VALUE);
    for (long start : covered) {
      ModelTables.Stored stored = windows.get(start);
      List<Window> known = stored == null ? List.of() : List.of(stored.window(start));
      view.add(new Page(start, start + version.policy().windowMicros(), known, runs(runs)));
    }
    return view;
  }

  OccupancyCache.CachedView cached() {
    return new OccupancyCache.CachedView(real(), version.config(), version.row(seq));
  }

  /** Returns what remains in the cache of a node if a view is put back. */
  static ModelView newer(Optional<ModelView> known, ModelView next) {
    if (known.isEmpty()) {
      return next;
    }
    OccupancyCache cache = new OccupancyCache(1_000_000);
    cache.putBack(known.get().cached());
    cache.putBack(next.cached());
    return cache.rowOf(SlotsModel.CONFIG).orElseThrow().equals(next.version().row(next.seq()))
        ? next
        : known.get();
  }

  /** Returns this view after a write that has set a sequence number. */
  ModelView after(Delta changes, long nextSeq) {
    Map<Long, ModelTables.Stored> next = changes.windows(windows);
    next.values().removeIf(ModelTables.Stored::isFull);
    return new ModelView(nextSeq, version, next, changes.runs(runs), covered);
  }

  /** Windows during a plan, which reads what its view lacks from the tables as they are now. */
  static final class Opened implements LockedWindows {
    private final ModelView before;
    private final ModelTables tables;
    private final OccupancyView view;
    private final List<Page> pages = new ArrayList<>();

    Opened(ModelView before, ModelTables tables) {
      this.before = before;
      this.tables = tables;
      this.view = before.real();
    }

    @Override
    public SlotConfig config() {
      return before.version().config();
    }

    @Override
    public OccupancyView view() {
      return view;
    }

    @Override
    public Optional<Page> page(long fromMicros) {
      // Not the same one twice: a view changes the windows that it is given.
      pages.add(tables.page(fromMicros));
      return Optional.of(tables.page(fromMicros));
    }

    /** Returns the view that the plan was made from, with the pages that it has read. */
    ModelView read() {
      Map<Long, ModelTables.Stored> windows = new TreeMap<>(before.windows());
      Map<Long, Long> runs = new TreeMap<>(before.runs());
      List<Long> covered = new ArrayList<>(before.covered());
      for (Page page : pages) {
        page.windows()
            .forEach(
                window -> windows.put(window.startMicros(), ModelTables.Stored.of(window, false)));
        page.runs().forEach(run -> runs.putIfAbsent(run.fromMicros(), run.untilMicros()));
        covered.add(page.fromMicros());
      }
      covered.sort(null);
      return new ModelView(before.seq(), before.version(), windows, runs, List.copyOf(covered));
    }
  }

  /** The changes of a real view. */
  record Delta(
      Map<Long, ModelTables.Stored> written, Map<Long, Long> addedRuns, List<Long> removedRuns) {
    /** Takes the changes out of a view. */
    static Delta of(OccupancyView view) {
      OccupancyView.Changes changes = view.drainChanges();
      Map<Long, ModelTables.Stored> written = new TreeMap<>();
      for (Window window : changes.windows()) {
        long start = window.startMicros();
        written.put(start, ModelTables.Stored.of(window, view.isFull(start)));
      }
      Map<Long, Long> added = new TreeMap<>();
      changes.addedRuns().forEach(run -> added.put(run.fromMicros(), run.untilMicros()));
      return new Delta(written, added, changes.removedRuns());
    }

    Map<Long, ModelTables.Stored> windows(Map<Long, ModelTables.Stored> before) {
      Map<Long, ModelTables.Stored> next = new TreeMap<>(before);
      next.putAll(written);
      return next;
    }

    Map<Long, Long> runs(Map<Long, Long> before) {
      Map<Long, Long> next = new TreeMap<>(before);
      next.keySet().removeAll(removedRuns);
      next.putAll(addedRuns);
      return next;
    }
  }
}
