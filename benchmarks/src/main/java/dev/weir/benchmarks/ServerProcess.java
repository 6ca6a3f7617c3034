package dev.weir.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Weir server in a separate process. */
public final class ServerProcess implements AutoCloseable {
  private static final Pattern UP = Pattern.compile("Weir is up: (http://\\S+)");

  private final Process process;
  private final URI address;

  private ServerProcess(Process process, URI address) {
    this.process = process;
    this.address = address;
  }

  /**
   * Starts a server and waits until it reports that it is up.
   *
   * @param heap the JVM option for the heap
   * @param settings as environment variables, which keep passwords out of the list of processes
   */
  public static ServerProcess start(String heap, Map<String, String> settings) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            JavaCommand.of(
                heap,
                "-cp",
                System.getProperty("java.class.path"),
                "dev.weir.server.Main",
                "up",
                "--port",
                "0"));
    builder.environment().putAll(settings);
    Path log = Files.createTempFile("weir-bench", ".log");
    log.toFile().deleteOnExit();
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    Process process = builder.start();
    while (process.isAlive()) {
      Matcher up = UP.matcher(Files.readString(log));
      if (up.find()) {
        return new ServerProcess(process, URI.create(up.group(1)));
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
    throw new IllegalStateException("the server did not start: " + Files.readString(log));
  }

  public URI address() {
    return address;
  }

  /** Creates a rule, given as JSON. */
  public void createRule(String rule) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(address.resolve("/api/admin/rules"))
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(rule))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 201) {
        throw new IllegalStateException("the rule was not created: " + answer.body());
      }
    }
  }

  /** Returns the resident memory of the process. */
  public double residentMegabytes() throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1_024)
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
