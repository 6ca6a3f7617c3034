package dev.weir.benchmarks.slots;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Weir in a process of its own, on the database that is measured. */
final class ServerProcess implements AutoCloseable {
  private static final Pattern UP = Pattern.compile("Weir is up: (http://\\S+)");

  private final Process process;
  private final URI address;

  private ServerProcess(Process process, URI address) {
    this.process = process;
    this.address = address;
  }

  /** Starts it and waits until it says that it is up. */
  static ServerProcess start(BenchDatabase database, String heap) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                heap,
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.weir.server.Main",
                "up",
                "--port",
                "0",
                "--db",
                database.url(),
                "--db-user",
                database.user()));
    builder.environment().put("WEIR_DB_PASSWORD", database.password());
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

  URI address() {
    return address;
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
