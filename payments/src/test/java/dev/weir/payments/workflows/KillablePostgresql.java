package dev.weir.payments.workflows;

import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.tck.internal.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A PostgreSQL that can be killed and comes back with its data, on the same port. */
final class KillablePostgresql implements AutoCloseable {
  /** On a machine with much else to do. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);

  private final Path folder;
  private final int port;
  private EmbeddedPostgres server;

  private KillablePostgresql(Path folder, int port) throws IOException {
    this.folder = folder;
    this.port = port;
    this.server = launch();
  }

  static KillablePostgresql start(Path folder) throws IOException {
    return new KillablePostgresql(folder, FreePort.find());
  }

  private EmbeddedPostgres launch() throws IOException {
    return EmbeddedPostgres.builder()
        .setDataDirectory(folder)
        .setCleanDataDirectory(false)
        .setPort(port)
        .setPGStartupWait(MAX_WAIT)
        // The defaults of this package are for tests that never crash.
        .setServerConfig("fsync", "on")
        .setServerConfig("synchronous_commit", "on")
        .start();
  }

  PoolSettings settings() {
    return new PoolSettings(
        "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port), "postgres", "", 1, 10, MAX_WAIT);
  }

  /** Ends all its processes on the spot, and starts it again. */
  void killAndRestart() throws Exception {
    long pid;
    try (Stream<String> lines = Files.lines(folder.resolve("postmaster.pid"))) {
      pid = Long.parseLong(lines.findFirst().orElseThrow().strip());
    }
    ProcessHandle main = ProcessHandle.of(pid).orElseThrow();
    List<ProcessHandle> all = Stream.concat(Stream.of(main), main.descendants()).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle process : all) {
      process.onExit().get(MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
    }
    // Releases what it holds in this process.
    server.close();
    server = launch();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
