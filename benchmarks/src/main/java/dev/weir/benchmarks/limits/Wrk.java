package dev.weir.benchmarks.limits;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The load generator {@code wrk}, which posts bodies that differ in a number. */
final class Wrk implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/bin/wrk");
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern ERRORS = Pattern.compile("Non-2xx|Socket errors");
  private static final int KEYS = 10_000;

  private final Path script;
  private final int connections;

  private Wrk(Path script, int connections) {
    this.script = script;
    this.connections = connections;
  }

  static boolean isInstalled() {
    return HttpCase.isProgram(PROGRAM);
  }

  /** One that posts JSON: the beginning, a number, the end. */
  static Wrk posting(String begin, String end, int connections) throws IOException {
    Path script = Files.createTempFile("weir-bench", ".lua");
    // Requests are made beforehand, or the generator would be what is measured.
    Files.writeString(
        script,
        """
        local requests = {}
        local turn = 0
        function init(args)
          wrk.method = "POST"
          wrk.headers["Content-Type"] = "application/json"
          for i = 1, %d do
            requests[i] = wrk.format(nil, nil, nil, '%s' .. i .. '%s')
          end
        end
        function request()
          turn = turn %% %d + 1
          return requests[turn]
        end
        """
            .formatted(KEYS, begin, end, KEYS));
    return new Wrk(script, connections);
  }

  /** Puts load on an address for a while; returns the answers a second. */
  double run(URI address, Duration time) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    PROGRAM.toString(),
                    "-t1",
                    "-c" + connections,
                    "-d" + Math.max(1, time.toSeconds()) + "s",
                    "-s",
                    script.toString(),
                    address.toString()))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    Matcher rate = RATE.matcher(output);
    if (code != 0 || !rate.find() || ERRORS.matcher(output).find()) {
      throw new IllegalStateException("wrk ended with " + code + ": " + output);
    }
    return Double.parseDouble(rate.group(1));
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(script);
  }
}
