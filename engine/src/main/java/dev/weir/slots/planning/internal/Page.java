package dev.weir.slots.planning.internal;

import java.util.List;

/**
 * A part of a configuration's windows as a store holds them: all windows in [from, until) that are
 * neither empty nor full, and every run of full windows that overlaps that span.
 */
public record Page(long fromMicros, long untilMicros, List<Window> windows, List<Run> runs) {

  /**
   * Adjacent windows without a usable place, from the start of the first to the next usable one.
   */
  public record Run(long fromMicros, long untilMicros) {}

  /** Returns a page that holds everything from {@code fromMicros} on. */
  public static Page allFrom(long fromMicros, List<Window> windows, List<Run> runs) {
    return new Page(fromMicros, TimeSpan.NEVER, windows, runs);
  }
}
