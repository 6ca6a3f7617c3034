package dev.weir.engine.slots;

import dev.weir.core.Micros;
import dev.weir.core.slots.Forecast;
import dev.weir.core.slots.OccupancyView;
import dev.weir.core.slots.Page;
import java.time.Instant;
import java.util.function.LongFunction;

/** The result of a forecast for a number of further events. */
public sealed interface ForecastResult {
  /** The last of the events would run at this time. */
  record Completion(Instant windowStart, Instant scheduledTime) implements ForecastResult {}

  /**
   * Only {@code placed} of the events would find a place within the configuration's maximum delay.
   */
  record NoCapacity(long placed) implements ForecastResult {}

  /** Runs a forecast over a view, adding pages to it as needed. */
  static ForecastResult of(Forecast forecast, OccupancyView view, LongFunction<Page> pages) {
    while (true) {
      switch (forecast.step(view)) {
        case Forecast.Outcome.Unknown unknown -> view.add(pages.apply(unknown.fromMicros()));
        case Forecast.Outcome.NoCapacity noCapacity -> {
          return new NoCapacity(noCapacity.placed());
        }
        case Forecast.Outcome.Completion completion -> {
          return new Completion(
              Micros.instant(completion.windowStartMicros()),
              Micros.instant(completion.scheduledMicros()));
        }
      }
    }
  }
}
