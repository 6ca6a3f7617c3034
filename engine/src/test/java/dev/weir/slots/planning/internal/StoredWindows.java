package dev.weir.slots.planning.internal;

import dev.weir.slots.SlotPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The contents of a store, fed only by {@link OccupancyView#drainChanges()}. */
final class StoredWindows {
  private final NavigableMap<Long, byte[]> windows = new TreeMap<>();
  private final NavigableMap<Long, Long> runs = new TreeMap<>();

  void apply(OccupancyView.Changes changes) {
    for (Window window : changes.windows()) {
      windows.put(window.startMicros(), window.toBytes());
    }
    changes.removedRuns().forEach(runs::remove);
    for (Page.Run run : changes.addedRuns()) {
      if (changes.removedRuns().contains(run.fromMicros())) {
        throw new AssertionError("both added and removed: " + run);
      }
      runs.put(run.fromMicros(), run.untilMicros());
    }
  }

  void forgetRuns() {
    runs.clear();
  }

  NavigableMap<Long, byte[]> windows() {
    return windows;
  }

  NavigableMap<Long, Long> runs() {
    return runs;
  }

  /** Returns the page that begins at {@code from} and spans the given number of windows. */
  Page page(SlotPolicy policy, long from, int length) {
    long until = from + length * policy.windowMicros();
    List<Window> found = new ArrayList<>();
    windows
        .subMap(from, until)
        .forEach(
            (start, bytes) -> {
              Window window = Window.of(start, bytes, 0);
              if (window.taken() > 0 && window.taken() < policy.maxPerWindow()) {
                found.add(window);
              }
            });
    List<Page.Run> touching = new ArrayList<>();
    for (Map.Entry<Long, Long> run : runs.headMap(until).entrySet()) {
      if (run.getValue() > from) {
        touching.add(new Page.Run(run.getKey(), run.getValue()));
      }
    }
    return new Page(from, until, found, touching);
  }
}
