package dev.weir.engine.slots;

import dev.weir.core.Micros;
import dev.weir.core.slots.Forecast;
import dev.weir.core.slots.OccupancyView;
import dev.weir.core.slots.Page;
import java.time.Instant;
import java.util.function.LongFunction;

/** What a forecast says of a number of further events. */
public sealed interface ForecastResult {
  /** The last of them would run at this time. */
  record Through(Instant windowStart, Instant scheduledTime) implements ForecastResult {}

  /** Only so many of them would find a place within the configuration's longest delay. */
  record NoRoom(long placed) implements ForecastResult {}

  /** Runs a forecast over a picture, adding pages to it as it goes. */
  static ForecastResult of(Forecast forecast, OccupancyView picture, LongFunction<Page> pages) {
    while (true) {
      switch (forecast.step(picture)) {
        case Forecast.Outcome.Unknown unknown -> picture.add(pages.apply(unknown.fromMicros()));
        case Forecast.Outcome.NoRoom noRoom -> {
          return new NoRoom(noRoom.placed());
        }
        case Forecast.Outcome.Through through -> {
          return new Through(
              Micros.instant(through.windowStartMicros()),
              Micros.instant(through.scheduledMicros()));
        }
      }
    }
  }
}
