package dev.weir.core.slots;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is known of one configuration's windows, and what has changed since it was read.
 *
 * <p>Full windows that touch are merged into runs, so that a search jumps over any number of them
 * in one step. A picture may be incomplete: it answers only for the time that {@linkplain #add
 * pages} have covered. Not thread-safe; it lives under the configuration's lock.
 */
public final class Picture {
  /** An entry of a tree and its key. */
  private static final int ENTRY_BYTES = 64;

  /** An entry of a tree, its key and a number. */
  private static final int SPAN_BYTES = 88;

  private final Terms terms;

  /** Runs do not cross this time, because stores keep none from before it. */
  private final long barrierMicros;

  private final NavigableMap<Long, Window> windows = new TreeMap<>();

  /** From → until: windows without a usable place. No two touch where both were known. */
  private final NavigableMap<Long, Long> runs = new TreeMap<>();

  /** From → until: the time for which {@link #windows} and {@link #runs} are complete. */
  private final NavigableMap<Long, Long> covered = new TreeMap<>();

  /** Of all windows that it holds, those included that are full and have yet to be written. */
  private long windowBytes;

  private final Map<Long, Window> changedWindows = new TreeMap<>();
  private final Map<Long, Long> addedRuns = new TreeMap<>();
  private final Set<Long> removedRuns = new TreeSet<>();

  public Picture(Terms terms) {
    this(terms, Long.MIN_VALUE);
  }

  /**
   * @param barrierMicros the start of a window; runs before it are not merged with runs after it
   */
  public Picture(Terms terms, long barrierMicros) {
    this.terms = terms;
    this.barrierMicros = barrierMicros;
  }

  /** A picture of a configuration that has no events. */
  public static Picture empty(Terms terms) {
    Picture picture = new Picture(terms);
    picture.add(Page.allFrom(Long.MIN_VALUE, List.of(), List.of()));
    return picture;
  }

  public Terms terms() {
    return terms;
  }

  /** Adds what a store holds for a span of time. What is known already is left as it is. */
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

  /** Whether the window that starts at {@code startMicros} is known. */
  boolean covers(long startMicros) {
    Map.Entry<Long, Long> span = covered.floorEntry(startMicros);
    return span != null && startMicros < span.getValue();
  }

  /** The end of the known time that begins at or before {@code startMicros}. */
  long coveredUntil(long startMicros) {
    return covered.floorEntry(startMicros).getValue();
  }

  /** The start of the first window from {@code startMicros} on that no known run covers. */
  long firstNotFull(long startMicros) {
    long start = startMicros;
    Map.Entry<Long, Long> run = runs.floorEntry(start);
    while (run != null && run.getValue() > start) {
      start = run.getValue();
      run = runs.floorEntry(start);
    }
    return start;
  }

  /** Whether a known run covers the window that starts at {@code startMicros}. */
  public boolean isFull(long startMicros) {
    return firstNotFull(startMicros) > startMicros;
  }

  /** Whether known runs cover all windows from {@code startMicros} to {@code untilMicros}. */
  public boolean isFullUntil(long startMicros, long untilMicros) {
    return firstNotFull(startMicros) >= untilMicros;
  }

  /** The window that starts at {@code startMicros}; one that nobody has used yet is empty. */
  Window window(long startMicros) {
    Window known = windows.get(startMicros);
    return known == null ? new Window(startMicros) : known;
  }

  /** The start of the first window after {@code startMicros} that is known to be used or full. */
  long nextUsed(long startMicros) {
    Long window = windows.higherKey(startMicros);
    Long run = runs.higherKey(startMicros);
    return Math.min(window == null ? Calendar.NEVER : window, run == null ? Calendar.NEVER : run);
  }

  /** Takes a place. The window joins the runs if that was its last usable one. */
  void take(Window window, int place) {
    int before = window.heapBytes();
    window.take(place);
    if (windows.get(window.startMicros()) == window) {
      windowBytes += window.heapBytes() - before;
    }
    put(window);
  }

  /** Puts a window in place of what was known of it. */
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
    if (!Room.isLeft(terms, window)) {
      // Its run says all that planning needs.
      windows.remove(start);
      // A closed window lies in the tail of the run before it: a run of its own would overlap.
      if (!inRun && terms.nextOpenWindow(start) == start) {
        markFull(start);
      }
    } else {
      windows.put(start, window);
      if (inRun) {
        split(start);
      }
    }
  }

  /** Gives a place of a known window back. */
  public void release(Window window, int place) {
    if (window.release(place)) {
      put(window);
    }
  }

  /** Records that no place of a window can be used, and merges it with the runs that touch it. */
  void markFull(long startMicros) {
    long from = startMicros;
    long until = terms.nextOpenWindow(startMicros + terms.windowMicros());
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

  /** Takes a window out of the run that covers it. */
  private void split(long startMicros) {
    Map.Entry<Long, Long> run = runs.floorEntry(startMicros);
    long from = run.getKey();
    long until = run.getValue();
    removeRun(from);
    if (from < startMicros) {
      addRun(from, startMicros);
    }
    long rest = terms.nextOpenWindow(startMicros + terms.windowMicros());
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

  /** What has changed since the last call: to be written, and then forgotten here. */
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

  /** Forgets the windows before a time, and the runs that do not reach up to it. */
  public void forgetBefore(long micros) {
    Map<Long, Window> before = windows.headMap(micros, false);
    before.values().forEach(window -> windowBytes -= window.heapBytes());
    before.clear();
    runs.headMap(micros, false).values().removeIf(until -> until < micros);
  }

  /** Forgets what was read and not changed: it can be read again. */
  public void forgetUnchanged() {
    windows.keySet().retainAll(changedWindows.keySet());
    runs.keySet().retainAll(addedRuns.keySet());
    covered.clear();
    windowBytes = 0;
    changedWindows.values().forEach(window -> windowBytes += window.heapBytes());
  }

  /** About how much memory it takes. */
  public long heapBytes() {
    return windowBytes
        + (long) ENTRY_BYTES * (windows.size() + changedWindows.size() + removedRuns.size())
        + (long) SPAN_BYTES * (runs.size() + addedRuns.size() + covered.size());
  }

  /** Windows and runs to write, and the starts of runs that are no more. */
  public record Changes(
      Collection<Window> windows, List<Page.Run> addedRuns, List<Long> removedRuns) {
    public boolean isEmpty() {
      return windows.isEmpty() && addedRuns.isEmpty() && removedRuns.isEmpty();
    }
  }
}
