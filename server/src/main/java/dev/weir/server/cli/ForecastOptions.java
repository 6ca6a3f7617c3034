package dev.weir.server.cli;

import dev.weir.client.Call;
import dev.weir.client.JsonObject;
import dev.weir.node.cli.ServerOptions;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options for the range of a configuration's future to query, and for how the response is shown.
 */
final class ForecastOptions {
  @Option(names = "--config", paramLabel = "NAME", description = "the configuration")
  private @Nullable String configName;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "from when on, such as 2026-06-01T12:00:00Z (default: now)")
  private @Nullable String from;

  @Option(names = "--json", description = "print the server's answer as it is")
  private boolean json;

  /** Renders a response for humans. */
  @FunctionalInterface
  interface Picture {
    void show(JsonObject answer) throws IOException;
  }

  /**
   * Queries the server and shows the response. Returns the exit code.
   *
   * @param more parameters besides the common ones
   */
  int ask(ServerOptions server, String path, Map<String, Optional<String>> more, Picture picture)
      throws InterruptedException {
    return server.run(
        client -> {
          Call call = Call.get(path);
          for (Map.Entry<String, Optional<String>> parameter : parameters(more).entrySet()) {
            if (parameter.getValue().isPresent()) {
              call = call.parameter(parameter.getKey(), parameter.getValue().get());
            }
          }
          return client.send(
              call,
              reply -> {
                if (json) {
                  server.out().println(reply.text());
                } else {
                  picture.show(reply.json());
                }
                return ServerOptions.OK;
              });
        });
  }

  private Map<String, Optional<String>> parameters(Map<String, Optional<String>> more) {
    Map<String, Optional<String>> parameters = new LinkedHashMap<>();
    parameters.put("configName", Optional.ofNullable(configName));
    parameters.put("from", Optional.ofNullable(from));
    parameters.putAll(more);
    return parameters;
  }
}
