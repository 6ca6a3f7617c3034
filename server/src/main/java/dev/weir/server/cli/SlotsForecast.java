package dev.weir.server.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says when so many more events would be through. */
@Command(
    name = "forecast",
    description = "Says when N more events would be through. Assigns nothing.",
    mixinStandardHelpOptions = true)
final class SlotsForecast implements Callable<Integer> {
  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(names = "--config", paramLabel = "NAME", description = "the configuration")
  private @Nullable String configName;

  @Option(
      names = "--events",
      paramLabel = "N",
      required = true,
      description = "how many more events")
  private long events;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "when they would be asked for, such as 2026-06-01T12:00:00Z (default: now)")
  private @Nullable String from;

  @Option(names = "--json", description = "print the server's answer as it is")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    return server.run(
        client -> {
          Map<String, Optional<String>> parameters = new LinkedHashMap<>();
          parameters.put("configName", Optional.ofNullable(configName));
          parameters.put("events", Optional.of(Long.toString(events)));
          parameters.put("from", Optional.ofNullable(from));
          byte[] answer = client.get("/api/v1/slots/forecast", parameters);
          try {
            server
                .out()
                .println(json ? new String(answer, StandardCharsets.UTF_8) : sentence(answer));
          } catch (IOException | DateTimeException other) {
            throw UnreachableException.notWeir(client.server(), other);
          }
          return ServerOptions.OK;
        });
  }

  static String sentence(byte[] answer) throws IOException {
    JsonObject forecast = JsonObject.read(answer);
    String config = forecast.requiredText("configName");
    long events = forecast.requiredNumber("events");
    Instant start = Instant.parse(forecast.requiredText("from"));
    Optional<Instant> through = forecast.text("through").map(Instant::parse);
    if (through.isEmpty()) {
      return "Configuration %s has room for only %s of %s from %s on."
          .formatted(
              config,
              Phrases.number(forecast.number("placed").orElse(0L)),
              Phrases.count(events, "event"),
              start);
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
