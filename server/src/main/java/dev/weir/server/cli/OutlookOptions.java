package dev.weir.server.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options for the range of a configuration's future to query, and for how the response is shown.
 */
final class OutlookOptions {
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
    void show(byte[] answer) throws IOException;
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
          Map<String, Optional<String>> parameters = new LinkedHashMap<>();
          parameters.put("configName", Optional.ofNullable(configName));
          parameters.put("from", Optional.ofNullable(from));
          parameters.putAll(more);
          byte[] answer = client.get(path, parameters);
          try {
            if (json) {
              server.out().println(new String(answer, StandardCharsets.UTF_8));
            } else {
              picture.show(answer);
            }
          } catch (IOException | DateTimeException other) {
            throw UnreachableException.notWeir(client.server(), other);
          }
          return ServerOptions.OK;
        });
  }
}
