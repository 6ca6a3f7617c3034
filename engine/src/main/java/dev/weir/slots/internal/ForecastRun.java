package dev.weir.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.planning.internal.Forecast;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import java.util.function.LongFunction;

/** A forecast over what a store holds, which is read page by page. */
public final class ForecastRun {
  private ForecastRun() {}

  /** Runs a forecast over a view, adding pages to it as needed. */
  public static ForecastResult run(
      Forecast forecast, OccupancyView view, LongFunction<Page> pages) {
    while (true) {
      switch (forecast.step(view)) {
        case Forecast.Outcome.Unknown unknown -> view.add(pages.apply(unknown.fromMicros()));
        case Forecast.Outcome.NoCapacity noCapacity -> {
          return new ForecastResult.NoCapacity(noCapacity.placed());
        }
        case Forecast.Outcome.Beyond beyond -> {
          return new ForecastResult.Beyond(
              Micros.instant(beyond.windowStartMicros()), beyond.placed());
        }
        case Forecast.Outcome.Completion completion -> {
          return new ForecastResult.Completion(
              Micros.instant(completion.windowStartMicros()),
              Micros.instant(completion.scheduledMicros()));
        }
      }
    }
  }
}
