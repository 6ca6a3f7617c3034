package dev.weir.core.slots;

import java.util.BitSet;
import java.util.List;

/**
 * Occupancy carried over to new terms: a window rebuilt from the events that lie in it.
 *
 * <p>An event that was placed under the same window size keeps its place. Any other event lies
 * where it lies, between the places; it takes the free place nearest to it, so that what is added
 * later keeps its distance. Events beyond the limit take places above it, for counting.
 */
public final class CarryOver {
  private CarryOver() {}

  /** An event in a window. */
  public sealed interface Event {
    /** Placed in a window of the same size. */
    record Placed(int place) implements Event {}

    /** Somewhere in the window. */
    record Lying(long scheduledMicros) implements Event {}
  }

  /** The window that starts at {@code startMicros} with exactly these events in it. */
  public static Window window(Terms terms, long startMicros, List<Event> events) {
    Window window = new Window(startMicros);
    for (Event event : events) {
      if (event instanceof Event.Placed placed) {
        window.take(placed.place());
      }
    }
    if (window.taken() == events.size()) {
      // Every event has its own place: no need to look at all of them.
      return window;
    }
    BitSet cells = takenCells(terms, window);
    int lyingEvents = 0;
    for (Event event : events) {
      if (event instanceof Event.Lying lying) {
        takeNearest(terms, window, cells, lying.scheduledMicros() - startMicros);
        lyingEvents++;
      }
    }
    window.setLying(lyingEvents);
    return window;
  }

  /** The places below the limit in the order of time; those that do not exist count as taken. */
  private static BitSet takenCells(Terms terms, Window window) {
    int grid = Terms.grid(terms.maxPerWindow());
    BitSet cells = new BitSet(grid);
    for (int place = 0; place < grid; place++) {
      if (place >= terms.maxPerWindow() || window.isTaken(place)) {
        cells.set(mirrored(place, grid));
      }
    }
    return cells;
  }

  private static void takeNearest(Terms terms, Window window, BitSet cells, long offsetMicros) {
    int grid = Terms.grid(terms.maxPerWindow());
    int wanted = (int) (offsetMicros * grid / terms.windowMicros());
    int after = cells.nextClearBit(wanted);
    int before = cells.previousClearBit(wanted);
    if (after >= grid && before < 0) {
      // Beyond the limit, and beyond what a window can count it is full all the same.
      if (window.taken() < Places.MOST) {
        window.take(window.lowestFree(Places.MOST, 0, Places.MOST));
      }
      return;
    }
    boolean later = before < 0 || (after < grid && after - wanted < wanted - before);
    int cell = later ? after : before;
    cells.set(cell);
    window.take(mirrored(cell, grid));
  }

  private static int mirrored(int number, int grid) {
    return grid == 1 ? 0 : Integer.reverse(number) >>> (32 - Integer.numberOfTrailingZeros(grid));
  }
}
