package dev.weir.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The load generator {@code wrk}. */
public final class Wrk implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/bin/wrk");
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern P99 = Pattern.compile("99%\\s+([0-9.]+)([a-z]+)");
  private static final Pattern ERRORS = Pattern.compile("Non-2xx|Socket errors");
  private static final int KEYS = 10_000;

  private final Path script;
  private final int connections;

  private Wrk(Path script, int connections) {
    this.script = script;
    this.connections = connections;
  }

  public static boolean isInstalled() {
    return PROGRAM.toFile().canExecute();
  }

  /** Returns a generator that repeats the same GET. */
  public static Wrk getting(int connections) throws IOException {
    return new Wrk(Files.createTempFile("weir-bench", ".lua"), connections);
  }

  /** Returns a generator that posts JSON: the beginning, a number, the end. */
  public static Wrk posting(String begin, String end, int connections) throws IOException {
    Path script = Files.createTempFile("weir-bench", ".lua");
    // Requests are created in advance, so that the generator itself is not measured.
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

  /**
   * The results of a load.
   *
   * @param p99Millis the 99th percentile of the latency
   */
  public record Load(double answersPerSecond, double p99Millis) {}

  /** Puts load on an address for the given time. Returns the responses per second. */
  public double run(URI address, Duration time) throws IOException, InterruptedException {
    return load(address, time).answersPerSecond();
  }

  /** Puts load on an address that may still be slow: late responses are no error. */
  public void warmUp(URI address, Duration time) throws IOException, InterruptedException {
    output(address, time);
  }

  /** Puts load on an address for the given time. */
  public Load load(URI address, Duration time) throws IOException, InterruptedException {
    String output = output(address, time);
    Matcher rate = RATE.matcher(output);
    if (!rate.find() || ERRORS.matcher(output).find()) {
      throw new IllegalStateException("wrk met errors: " + output);
    }
    Matcher late = P99.matcher(output);
    if (!late.find()) {
      throw new IllegalStateException("wrk tells no latency: " + output);
    }
    return new Load(Double.parseDouble(rate.group(1)), millis(late.group(1), late.group(2)));
  }

  private String output(URI address, Duration time) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    PROGRAM.toString(),
                    "-t1",
                    "-c" + connections,
                    "-d" + Math.max(1, time.toSeconds()) + "s",
                    "--latency",
                    "-s",
                    script.toString(),
                    address.toString()))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new IllegalStateException("wrk ended with " + code + ": " + output);
    }
    return output;
  }

  private static double millis(String number, String unit) {
    double value = Double.parseDouble(number);
    return switch (unit) {
      case "us" -> value / 1_000;
      case "ms" -> value;
      case "s" -> value * 1_000;
      default -> throw new IllegalStateException("wrk tells a latency in " + unit);
    };
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(script);
  }
}
