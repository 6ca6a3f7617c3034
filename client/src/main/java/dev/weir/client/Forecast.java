package dev.weir.client;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * When further events would be completed.
 *
 * @param from the time that all of them would request
 * @param placed how many would find a place, as far as the server has looked
 * @param through when the last one would run; empty if not all of them would find a place
 * @param endsAfter the time up to which the server has looked, if the last one would run later
 */
public record Forecast(
    String configName,
    long events,
    Instant from,
    long placed,
    Optional<Instant> through,
    Optional<Instant> endsAfter) {

  /** Reads a forecast from the JSON that the server returns. */
  public static Forecast read(JsonObject json) throws IOException {
    return new Forecast(
        json.requiredText("configName"),
        json.requiredNumber("events"),
        json.requiredTime("from"),
        json.requiredNumber("placed"),
        json.time("through"),
        json.time("endsAfter"));
  }
}
