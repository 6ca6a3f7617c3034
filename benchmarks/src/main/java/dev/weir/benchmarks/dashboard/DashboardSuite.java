package dev.weir.benchmarks.dashboard;

import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.ServerProcess;
import dev.weir.benchmarks.Suite;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The dashboard benchmarks: the page <i>Now</i> in Chromium while a thousand decisions a second are
 * made, against a page that does nothing in the same browser.
 */
public final class DashboardSuite implements Suite {
  private static final String NAME = "dashboard";
  private static final String PEER = "an empty page";

  /** As smooth as a page can be, but for a frame in a hundred. */
  private static final Row.Target SMOOTH = new Row.AtLeast(0.99);

  private static final Map<String, String> IN_MEMORY =
      Map.of("WEIR_SLOTS_STORE", "memory", "WEIR_LIMITS_STORE", "memory");

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Outcome run(Request request) throws Exception {
    Optional<String> browser = Optional.ofNullable(System.getenv("WEIR_TEST_BROWSER"));
    if (browser.isEmpty()) {
      request.progress().accept("dashboard: left out, no Chromium with a driver is here");
      return new Outcome(Map.of(), List.of());
    }
    request.progress().accept("dashboard: page Now, 1,000 decisions a second");
    try (ServerProcess weir = ServerProcess.start("-Xmx512m", IN_MEMORY)) {
      Measured found =
          measure(browser.get(), weir.address().toString(), request.quick() ? "10" : "30");
      return new Outcome(Map.of(), rows(found));
    }
  }

  /** The numbers that the script has printed, by their names. */
  private record Measured(Map<String, Double> numbers) {
    double get(String name) {
      return Optional.ofNullable(numbers.get(name)).orElseThrow();
    }
  }

  private static List<Row> rows(Measured found) {
    return List.of(
        against(
            "Now, frames",
            found.get("framesPerSecond"),
            "frames/s",
            found.get("emptyFramesPerSecond"),
            SMOOTH),
        against(
            "Now, time between frames, p99",
            found.get("frameP99Millis"),
            "ms",
            found.get("emptyFrameP99Millis"),
            new Row.Untargeted()),
        against(
            "Now, time between frames, max",
            found.get("frameMaxMillis"),
            "ms",
            found.get("emptyFrameMaxMillis"),
            new Row.Untargeted()),
        alone("Now, decisions meanwhile", found.get("decisionsPerSecond"), "decisions/s"),
        alone("Now, steps longer than a frame", found.get("longSteps"), "steps"),
        alone("first load", found.get("firstLoadKilobytes"), "kB"));
  }

  private static Row against(
      String scenario, double value, String unit, double peerValue, Row.Target target) {
    return new Row(NAME, scenario, "weir", value, unit, new Row.Against(PEER, peerValue, target));
  }

  private static Row alone(String scenario, double value, String unit) {
    return Row.alone(NAME, scenario, "weir", value, unit);
  }

  private static Measured measure(String browser, String address, String seconds)
      throws IOException, InterruptedException {
    Path script = Files.createTempFile("weir-bench", ".mjs");
    try {
      Files.write(script, script());
      Process process =
          new ProcessBuilder("node", script.toString(), browser, address, seconds)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException("the browser did not measure: " + output);
      }
      return new Measured(
          output
              .lines()
              .map(line -> line.split(" ", 2))
              .collect(Collectors.toMap(words -> words[0], words -> Double.valueOf(words[1]))));
    } finally {
      Files.delete(script);
    }
  }

  private static byte[] script() throws IOException {
    try (InputStream script = DashboardSuite.class.getResourceAsStream("frames.mjs")) {
      if (script == null) {
        throw new IllegalStateException("frames.mjs is missing");
      }
      return script.readAllBytes();
    }
  }
}
