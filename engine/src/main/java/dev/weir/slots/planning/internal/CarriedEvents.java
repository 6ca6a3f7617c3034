package dev.weir.slots.planning.internal;

import dev.weir.internal.Places;
import dev.weir.slots.SlotPolicy;
import java.util.BitSet;
import java.util.List;

/**
 * Rebuilds a window's occupancy from the events that are in it: under a new policy, or with events
 * that were adopted.
 *
 * <p>An event that was placed under the same window size keeps its place. Any other event keeps its
 * time, which is usually not on a place; it occupies the nearest free place, so that later events
 * keep their distance from it. Events beyond the limit occupy places above it so that they are
 * counted.
 */
final class CarriedEvents {
  private CarriedEvents() {}

  /** An event in a window. */
  public sealed interface Event {
    /** An event that was placed in a window of the same size. */
    record Placed(int place) implements Event {}

    /** An event at any time in the window, not necessarily on a place. */
    record OffGrid(long scheduledMicros) implements Event {}
  }

  /** Returns the window that starts at {@code startMicros} with exactly these events in it. */
  public static Window window(SlotPolicy policy, long startMicros, List<Event> events) {
    Window window = new Window(startMicros);
    for (Event event : events) {
      if (event instanceof Event.Placed placed) {
        window.take(placed.place());
      }
    }
    if (window.taken() == events.size()) {
      // Every event has its own place, so the other places need not be examined.
      return window;
    }
    BitSet cells = takenCells(policy, window);
    int offGridEvents = 0;
    for (Event event : events) {
      if (event instanceof Event.OffGrid offGrid) {
        takeNearest(policy, window, cells, offGrid.scheduledMicros() - startMicros);
        offGridEvents++;
      }
    }
    window.setOffGrid(offGridEvents);
    return window;
  }

  /**
   * Returns the places below the limit in the order of time; cells without a place count as taken.
   */
  private static BitSet takenCells(SlotPolicy policy, Window window) {
    int grid = Places.grid(policy.maxPerWindow());
    BitSet cells = new BitSet(grid);
    for (int place = 0; place < grid; place++) {
      if (place >= policy.maxPerWindow() || window.isTaken(place)) {
        cells.set(mirrored(place, grid));
      }
    }
    return cells;
  }

  private static void takeNearest(
      SlotPolicy policy, Window window, BitSet cells, long offsetMicros) {
    int grid = Places.grid(policy.maxPerWindow());
    int wanted = (int) (offsetMicros * grid / policy.windowMicros());
    int after = cells.nextClearBit(wanted);
    int before = cells.previousClearBit(wanted);
    if (after >= grid && before < 0) {
      // Beyond the limit. Once a window cannot count any further event, it is full anyway.
      if (window.taken() < Places.COUNT) {
        window.take(window.lowestFree(Places.COUNT, 0, Places.COUNT));
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
