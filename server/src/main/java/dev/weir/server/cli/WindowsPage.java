package dev.weir.server.cli;

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
record WindowsPage(
    String configName, Duration windowSize, List<Occupancy> windows, Optional<Instant> next) {

  /** The occupancy of one window. */
  record Occupancy(Instant start, Instant end, long taken, long max) {}

  WindowsPage {
    windows = List.copyOf(windows);
  }

  static WindowsPage read(byte[] answer) throws IOException {
    try {
      JsonObject page = JsonObject.read(answer);
      List<Occupancy> windows = new ArrayList<>();
      for (JsonObject window : page.objects("windows")) {
        windows.add(
            new Occupancy(
                Instant.parse(window.requiredText("start")),
                Instant.parse(window.requiredText("end")),
                window.requiredNumber("taken"),
                window.requiredNumber("max")));
      }
      return new WindowsPage(
          page.requiredText("configName"),
          Duration.parse(page.requiredText("windowSize")),
          windows,
          page.text("next").map(Instant::parse));
    } catch (DateTimeException notTime) {
      throw new IOException(notTime.getMessage(), notTime);
    }
  }
}
