package dev.weir.client;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A page of the occupancy of windows.
 *
 * @param windows in order of time; empty ones may be omitted
 * @param next where the next page begins, if there may be one
 */
public record WindowPage(
    String configName, Duration windowSize, List<Occupancy> windows, Optional<Instant> next) {

  /**
   * The occupancy of one window.
   *
   * @param taken may be above {@code max} after a limit was lowered
   */
  public record Occupancy(Instant start, Instant end, long taken, long max) {}

  public WindowPage {
    windows = List.copyOf(windows);
  }

  /** Reads a page from the JSON that the server returns. */
  public static WindowPage read(JsonObject page) throws IOException {
    List<Occupancy> windows = new ArrayList<>();
    for (JsonObject window : page.objects("windows")) {
      windows.add(
          new Occupancy(
              window.requiredTime("start"),
              window.requiredTime("end"),
              window.requiredNumber("taken"),
              window.requiredNumber("max")));
    }
    try {
      return new WindowPage(
          page.requiredText("configName"),
          Duration.parse(page.requiredText("windowSize")),
          windows,
          page.time("next"));
    } catch (DateTimeException notDuration) {
      throw new IOException(notDuration.getMessage(), notDuration);
    }
  }
}
