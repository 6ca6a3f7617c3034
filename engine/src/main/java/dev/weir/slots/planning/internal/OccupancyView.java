package dev.weir.slots.planning.internal;

import dev.weir.slots.SlotPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The known occupancy of one configuration's windows, and its changes since it was read.
 *
 * <p>Adjacent full windows are merged into runs, so a search skips any number of them in one step.
 * A view may be incomplete: it covers only the time of the {@linkplain #add pages} that were added.
 * Not thread-safe; it is guarded by the configuration's lock.
 */
public final class OccupancyView {
  /** Estimated size of a tree entry and its key. */
  private static final int ENTRY_BYTES = 64;

  /** Estimated size of a tree entry, its key and a number. */
  private static final int SPAN_BYTES = 88;

  private final SlotPolicy policy;

  /** Runs do not cross this time, because stores keep no runs from before it. */
  private final long barrierMicros;

  private final NavigableMap<Long, Window> windows = new TreeMap<>();

  /** From → until: windows without a usable place. No two runs touch where both were known. */
  private final NavigableMap<Long, Long> runs = new TreeMap<>();

  /** From → until: the spans for which {@link #windows} and {@link #runs} are complete. */
  private final NavigableMap<Long, Long> covered = new TreeMap<>();

  /** Size of all windows held, including full ones that have not been written yet. */
  private long windowBytes;

  private final Map<Long, Window> changedWindows = new TreeMap<>();
  private final Map<Long, Long> addedRuns = new TreeMap<>();
  private final Set<Long> removedRuns = new TreeSet<>();

  public OccupancyView(SlotPolicy policy) {
    this(policy, Long.MIN_VALUE);
  }

  /**
   * @param barrierMicros the start of a window; runs before it are not merged with runs after it
   */
  public OccupancyView(SlotPolicy policy, long barrierMicros) {
    this.policy = policy;
    this.barrierMicros = barrierMicros;
  }

  /** Returns the view of a configuration that has no events. */
  public static OccupancyView empty(SlotPolicy policy) {
    OccupancyView view = new OccupancyView(policy);
    view.add(Page.allFrom(Long.MIN_VALUE, List.of(), List.of()));
    return view;
  }

  public SlotPolicy policy() {
    return policy;
  }

  /**
   * Adds the contents of a store for a span of time. Windows and runs that are already known are
   * not changed.
   */
  public void add(Page page) {
    for (Window window : page.windows()) {
      if (windows.putIfAbsent(window.startMicros(), window) == null) {
        windowBytes += window.heapBytes();
      }
    }
    for (Page.Run run : page.runs()) {
      if (!removedRuns.contains(run.fromMicros())
          && firstNotFull(run.fromMicros()) == run.fromMicros()) {
        runs.put(run.fromMicros(), run.untilMicros());
      }
    }
    cover(page.fromMicros(), page.untilMicros());
  }

  /** Returns true if the window that starts at {@code startMicros} is known. */
  boolean covers(long startMicros) {
    Map.Entry<Long, Long> span = covered.floorEntry(startMicros);
    return span != null && startMicros < span.getValue();
  }

  /** Returns the end of the known time that begins at or before {@code startMicros}. */
  long coveredUntil(long startMicros) {
    return covered.floorEntry(startMicros).getValue();
  }

  /** Returns the start of the first window from {@code startMicros} on that no known run covers. */
  long firstNotFull(long startMicros) {
    long start = startMicros;
    Map.Entry<Long, Long> run = runs.floorEntry(start);
    while (run != null && run.getValue() > start) {
      start = run.getValue();
      run = runs.floorEntry(start);
    }
    return start;
  }

  /** Returns true if a known run covers the window that starts at {@code startMicros}. */
  public boolean isFull(long startMicros) {
    return firstNotFull(startMicros) > startMicros;
  }

  /**
   * Returns true if known runs cover all windows from {@code startMicros} to {@code untilMicros}.
   */
  public boolean isFullUntil(long startMicros, long untilMicros) {
    return firstNotFull(startMicros) >= untilMicros;
  }

  /**
   * Returns how many more events a window may hold that have their times already: as many as it has
   * open places, less those that it holds; empty if the window is not known.
   */
  public OptionalInt vacancies(long startMicros) {
    if (!covers(startMicros)) {
      return OptionalInt.empty();
    }
    if (isFull(startMicros)) {
      return OptionalInt.of(0);
    }
    return OptionalInt.of(Math.max(0, places(startMicros) - window(startMicros).taken()));
  }

  /**
   * Returns the number of places of a window, taken or not: the limit, if it is open throughout.
   */
  public int places(long startMicros) {
    return WindowCapacity.evenIfPaused(policy, startMicros);
  }

  /** Returns the window that starts at {@code startMicros}; an unused one is empty. */
  Window window(long startMicros) {
    Window known = windows.get(startMicros);
    return known == null ? new Window(startMicros) : known;
  }

  /**
   * Returns the start of the first window after {@code startMicros} that is known to be used or
   * full.
   */
  long nextUsed(long startMicros) {
    Long window = windows.higherKey(startMicros);
    Long run = runs.higherKey(startMicros);
    return Math.min(window == null ? TimeSpan.NEVER : window, run == null ? TimeSpan.NEVER : run);
  }

  /** Takes a place. If it was the last usable one, the window becomes part of a run. */
  void take(Window window, int place) {
    int before = window.heapBytes();
    window.take(place);
    if (windows.get(window.startMicros()) == window) {
      windowBytes += window.heapBytes() - before;
    }
    put(window);
  }

  /** Replaces what is known about a window. */
  public void put(Window window) {
    long start = window.startMicros();
    Window unwritten = changedWindows.put(start, window);
    Window known = windows.get(start);
    windowBytes += window.heapBytes();
    if (unwritten != null) {
      windowBytes -= unwritten.heapBytes();
    }
    if (known != null && known != unwritten) {
      windowBytes -= known.heapBytes();
    }
    boolean inRun = isFull(start);
    if (!Availability.hasFreePlace(policy, window)) {
      // Planning needs no more than its run.
      windows.remove(start);
      // A closed window is in the tail of the previous run; its own run would overlap that one.
      if (!inRun && PolicyTimes.nextOpenWindow(policy, start) == start) {
        markFull(start);
      }
    } else {
      windows.put(start, window);
      if (inRun) {
        split(start);
      }
    }
  }

  /** Releases a place of a known window. */
  public void release(Window window, int place) {
    if (window.release(place)) {
      put(window);
    }
  }

  /** Records that no place of a window is usable, and merges it with adjacent runs. */
  void markFull(long startMicros) {
    long from = startMicros;
    long until = PolicyTimes.nextOpenWindow(policy, startMicros + policy.windowMicros());
    if (startMicros < barrierMicros) {
      until = Math.min(until, barrierMicros);
    }
    Map.Entry<Long, Long> left = runs.lowerEntry(startMicros);
    if (left != null && left.getValue() >= startMicros && startMicros != barrierMicros) {
      from = left.getKey();
      until = Math.max(until, left.getValue());
      removeRun(from);
    }
    Long right = runs.get(until);
    if (right != null && until != barrierMicros) {
      removeRun(until);
      until = right;
    }
    addRun(from, until);
  }

  /** Removes a window from the run that covers it. */
  private void split(long startMicros) {
    Map.Entry<Long, Long> run = runs.floorEntry(startMicros);
    long from = run.getKey();
    long until = run.getValue();
    removeRun(from);
    if (from < startMicros) {
      addRun(from, startMicros);
    }
    long rest = PolicyTimes.nextOpenWindow(policy, startMicros + policy.windowMicros());
    if (rest < until) {
      addRun(rest, until);
    }
  }

  private void addRun(long from, long until) {
    runs.put(from, until);
    addedRuns.put(from, until);
    removedRuns.remove(from);
  }

  private void removeRun(long from) {
    runs.remove(from);
    addedRuns.remove(from);
    removedRuns.add(from);
  }

  private void cover(long from, long until) {
    long start = from;
    long end = until;
    Map.Entry<Long, Long> left = covered.floorEntry(start);
    if (left != null && left.getValue() >= start) {
      start = left.getKey();
      end = Math.max(end, left.getValue());
    }
    Map.Entry<Long, Long> next = covered.ceilingEntry(start);
    while (next != null && next.getKey() <= end) {
      end = Math.max(end, next.getValue());
      covered.remove(next.getKey());
      next = covered.ceilingEntry(start);
    }
    covered.put(start, end);
  }

  /** Returns the changes since the last call, to be written by the caller, and clears them here. */
  public Changes drainChanges() {
    List<Page.Run> added = new ArrayList<>(addedRuns.size());
    addedRuns.forEach((from, until) -> added.add(new Page.Run(from, until)));
    Changes changes =
        new Changes(List.copyOf(changedWindows.values()), added, List.copyOf(removedRuns));
    for (Window window : changes.windows()) {
      if (windows.get(window.startMicros()) != window) {
        windowBytes -= window.heapBytes();
      }
    }
    changedWindows.clear();
    addedRuns.clear();
    removedRuns.clear();
    return changes;
  }

  /** Drops the windows before a time, and the runs that end before it. */
  public void forgetBefore(long micros) {
    Map<Long, Window> before = windows.headMap(micros, false);
    before.values().forEach(window -> windowBytes -= window.heapBytes());
    before.clear();
    runs.headMap(micros, false).values().removeIf(until -> until < micros);
  }

  /** Drops everything that was read and not changed; it can be read again. */
  public void forgetUnchanged() {
    windows.keySet().retainAll(changedWindows.keySet());
    runs.keySet().retainAll(addedRuns.keySet());
    covered.clear();
    windowBytes = 0;
    changedWindows.values().forEach(window -> windowBytes += window.heapBytes());
  }

  /** Returns the approximate memory consumption. */
  public long heapBytes() {
    return windowBytes
        + (long) ENTRY_BYTES * (windows.size() + changedWindows.size() + removedRuns.size())
        + (long) SPAN_BYTES * (runs.size() + addedRuns.size() + covered.size());
  }

  /** Windows and runs to write, and the starts of runs to delete. */
  public record Changes(
      Collection<Window> windows, List<Page.Run> addedRuns, List<Long> removedRuns) {
    public boolean isEmpty() {
      return windows.isEmpty() && addedRuns.isEmpty() && removedRuns.isEmpty();
    }
  }
}
