package dev.weir.server.cli;

import dev.weir.client.Forecast;
import dev.weir.node.cli.Phrases;
import dev.weir.node.cli.ServerOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Forecasts when a number of additional events would be done. */
@Command(
    name = "forecast",
    description = "Says when N more events would be through. Assigns nothing.",
    mixinStandardHelpOptions = true)
final class SlotsForecast implements Callable<Integer> {
  @Mixin private final ServerOptions server = new ServerOptions();

  @Mixin private final ForecastOptions range = new ForecastOptions();

  @Option(
      names = "--events",
      paramLabel = "N",
      required = true,
      description = "how many more events")
  private long events;

  @Override
  public Integer call() throws InterruptedException {
    return range.ask(
        server,
        "/api/v1/slots/forecast",
        Map.of("events", Optional.of(Long.toString(events))),
        answer -> server.out().println(sentence(Forecast.read(answer))));
  }

  private static String sentence(Forecast forecast) {
    String config = forecast.configName();
    long events = forecast.events();
    Instant start = forecast.from();
    Optional<Instant> through = forecast.through();
    if (forecast.endsAfter().isPresent()) {
      return "%s on configuration %s would be through after %s; %s until then."
          .formatted(
              Phrases.count(events, "more event"),
              config,
              forecast.endsAfter().get(),
              Phrases.number(forecast.placed()));
    }
    if (through.isEmpty()) {
      return "Configuration %s has room for only %s of %s from %s on."
          .formatted(
              config, Phrases.number(forecast.placed()), Phrases.count(events, "event"), start);
    }
    return "%s on configuration %s would be through at %s, %s after %s."
        .formatted(
            Phrases.count(events, "more event"),
            config,
            through.get(),
            Phrases.duration(Duration.between(start, through.get())),
            start);
  }
}
